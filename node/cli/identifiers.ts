/** What ids look like (protocol, section 2), for what is said before the library is asked. */

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'
const ID = new RegExp(`^${UUID}$`)
const KEY = new RegExp(`^${UUID}(?::${UUID})?$`)

/** Whether a text is the id of an agent or of a document. */
export const isId = (text: string): boolean => ID.test(text)

/** Whether a text is the id of a document, with or without one of its versions. */
export const isKey = (text: string): boolean => KEY.test(text)
