/** Path of Node 24's program; undefined where npm has none for this system. */
export function node24(): string | undefined
