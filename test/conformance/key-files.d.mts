export declare const password: string
/** The key of a name, as it is and as the password opens it. */
export declare function keyFiles(
  algorithm: 'ed25519' | 'pq2025',
  name: string,
): Promise<{ readonly plain: string; readonly encrypted: string }>
