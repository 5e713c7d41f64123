import type { ConsoleLink, MailMessage } from './mail.ts'

/** Renders an email as plain text. */

/** Returns the instruction for a link of which only the path can be given, because PUBLIC_URL is not set. */
export const describePath = ({ label }: ConsoleLink): string => `${label}: open this page of your Patchbay`

export const unsubscribeLink = (path: string): ConsoleLink => ({ label: 'Unsubscribe', path })

const formatLink = (link: ConsoleLink, publicUrl: string | null): string =>
  publicUrl === null ? `${describePath(link)}:\n${link.path}` : `${link.label}:\n${publicUrl}${link.path}`

/** @param publicUrl address of the console, or null if it is not configured */
export const renderText = (message: MailMessage, publicUrl: string | null): string => {
  const { summary, sections = [], action, notes = [], reason, unsubscribePath } = message
  const body = [
    summary,
    ...sections.map(({ title, values, link }) =>
      [
        ...(title === undefined ? [] : [title]),
        ...values.map(({ label, value }) => `${label}: ${value}`),
        ...(link ? [formatLink(link, publicUrl)] : []),
      ].join('\n'),
    ),
    ...(action ? [formatLink(action, publicUrl)] : []),
    ...notes,
  ]
  const footer = [
    reason,
    ...(unsubscribePath === undefined ? [] : [formatLink(unsubscribeLink(unsubscribePath), publicUrl)]),
    publicUrl === null ? 'Patchbay' : `Patchbay at ${publicUrl}`,
  ]
  // Mail clients recognize the line "-- " as the start of the signature (RFC 3676 §4.3).
  return `${body.join('\n\n')}\n\n-- \n${footer.join('\n')}\n`
}
