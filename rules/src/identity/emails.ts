/** Email addresses as accepted by the HTML email field (HTML §4.10.5.1.5). */
const part = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
const address = new RegExp(`^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${part}(?:\\.${part})*$`)

const maxLength = 255

/** Returns whether a text is an email address with at most 255 characters, the width of the database column. */
export const isEmail = (text: string): boolean => text.length <= maxLength && address.test(text)
