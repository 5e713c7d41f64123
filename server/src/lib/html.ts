/** HTML as a tagged template that escapes what is inserted. */

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '')

/** A fragment of HTML. */
export interface Html {
  html: string
}

type Insertable = string | Html | readonly Html[]

const toHtmlText = (value: Insertable): string =>
  typeof value === 'string' ? escapeHtml(value) : 'html' in value ? value.html : value.map(toHtmlText).join('')

/**
 * Creates a fragment from a template. Inserted strings are escaped, fragments and lists of fragments are not.
 * Attribute values need double quotes.
 */
export const html = (parts: TemplateStringsArray, ...values: Insertable[]): Html => ({
  html: parts.map((part, index) => part + toHtmlText(values[index] ?? '')).join(''),
})

export const emptyHtml = html``
