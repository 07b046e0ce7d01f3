/** Starts the reference implementation of C2PA; undefined where it cannot be had. */
export declare function manifests(folder: string): Promise<
  | {
      ask(request: { do: 'sign' | 'verify'; in: string; out?: string; count?: number }): Promise<unknown>
      stop(): Promise<void>
    }
  | undefined
>
