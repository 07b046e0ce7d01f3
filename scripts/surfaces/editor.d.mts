/** What an editor knows of the API when somebody writes a program with it. */
export declare class Editor {
  constructor(modules: { core: string; simple: string; verify: string })
  tooltip(surface: string, name: string): { type: string; text: string; tags: string[]; lost: string[] }
  options(folder: string): {
    name: string
    at: number
    names: string[]
    isDeclared: boolean
    file: string
    line: number
  }[]
  definitions(surface: string, name: string): { file: string; at: number; name: string }[]
}
