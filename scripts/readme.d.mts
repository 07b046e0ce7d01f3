/**
 * What stands in README.md as HTML, to be put into a page of examples/page.
 *
 * Links to other files of the package become plain text, since none of these is served.
 */
export function readme(): string
