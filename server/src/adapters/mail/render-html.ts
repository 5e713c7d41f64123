import { emptyHtml, type Html, html } from '../../lib/html.ts'
import type { ConsoleLink, MailMessage, Section } from './mail.ts'
import { describePath, unsubscribeLink } from './render-text.ts'

/**
 * Renders an email as HTML. Mail clients ignore most of CSS, so the layout consists of tables with inline styles. The
 * style sheet adds only the dark color scheme. Nothing is loaded from a server.
 */

/** Mail clients cut off long mails (Gmail at 102 kB). The complete value is in the plain text part. */
const maxValueCharacters = 2000

const font = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const text = `${font};font-size:16px;line-height:24px;color:#1f2328;word-break:break-word`
const small = `${font};font-size:13px;line-height:20px;color:#59636e;word-break:break-word`
const button = `${font};display:inline-block;padding:12px 20px;font-size:16px;line-height:20px;font-weight:600;color:#ffffff;text-decoration:none`
const code = 'font-family:ui-monospace,Menlo,Consolas,monospace'

const darkStyles = `
@media (prefers-color-scheme: dark) {
  .page { background-color: #0d1117 !important; }
  .card { background-color: #161b22 !important; border-color: #30363d !important; }
  .text { color: #e6edf3 !important; }
  .small { color: #9198a1 !important; }
  .line { border-color: #30363d !important; }
}`

const shorten = (value: string): string =>
  value.length > maxValueCharacters ? `${value.slice(0, maxValueCharacters).replace(/[\uD800-\uDBFF]$/, '')}…` : value

/** Returns text with its line breaks, and without other control characters. */
const lines = (value: string): Html[] =>
  shorten(value)
    .split(/\r\n|[\r\n]/)
    .map((line, index) => html`${index > 0 ? html`<br>` : emptyHtml}${line.replaceAll(/\p{Cc}+/gu, ' ')}`)

const paragraph = (value: string): Html => html`<p class="text" style="margin:0 0 16px;${text}">${lines(value)}</p>`

const renderCode = (value: string): Html =>
  html`<p class="text" style="margin:0 0 16px;${text};${code};font-size:32px;line-height:40px;letter-spacing:6px">${value}</p>`

const renderPath = (link: ConsoleLink): Html =>
  html`${describePath(link)}:<br><span style="${code};font-size:13px;word-break:break-all">${link.path}</span>`

const renderLink = (link: ConsoleLink, publicUrl: string | null): Html =>
  publicUrl === null
    ? renderPath(link)
    : html`<a href="${publicUrl + link.path}" class="small" style="${small};text-decoration:underline">${link.label}</a>`

const renderSection = ({ title, values, link }: Section, publicUrl: string | null): Html =>
  html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" class="line" style="margin:0 0 16px;border-top:1px solid #d1d9e0">
<tr><td colspan="2" class="text" style="padding:12px 0 4px;${text};font-weight:600">${lines(title ?? '')}</td></tr>
${values.map(
  ({ label, value }) => html`<tr>
<td class="small" valign="top" width="80" style="padding:2px 12px 2px 0;${small}">${label}</td>
<td class="text" valign="top" style="padding:2px 0;${text};font-size:14px;line-height:20px">${lines(value)}</td>
</tr>`,
)}
${link ? html`<tr><td colspan="2" class="small" style="padding:2px 0 12px;${small}">${renderLink(link, publicUrl)}</td></tr>` : emptyHtml}
</table>`

const renderAction = (action: ConsoleLink, publicUrl: string | null): Html =>
  publicUrl === null
    ? html`<p class="text" style="margin:0 0 16px;${text}">${renderPath(action)}</p>`
    : html`<table role="presentation" cellpadding="0" cellspacing="0" style="margin:8px 0 24px"><tr>
<td bgcolor="#0b6675" style="border-radius:6px;background-color:#0b6675"><a href="${publicUrl + action.path}" style="${button}">${action.label}</a></td>
</tr></table>`

const renderFooter = ({ reason, unsubscribePath }: MailMessage, publicUrl: string | null): Html => {
  const unsubscribe =
    unsubscribePath === undefined ? emptyHtml : html`<br>${renderLink(unsubscribeLink(unsubscribePath), publicUrl)}`
  const sender =
    publicUrl === null ? html`Patchbay` : html`Patchbay at ${renderLink({ label: publicUrl, path: '' }, publicUrl)}`
  return html`<p class="small" style="margin:0;${small}">${reason}${unsubscribe}<br>${sender}</p>`
}

/** @param publicUrl address of the console, or null if it is not configured */
export const renderHtml = (message: MailMessage, publicUrl: string | null): string => {
  const { subject, summary, code: enteredCode, sections = [], action, notes = [] } = message
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>:root { color-scheme: light dark; }${darkStyles}</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#f6f8fa">
<div style="display:none;max-height:0;overflow:hidden">${shorten(summary)}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" class="page" style="background-color:#f6f8fa"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px;table-layout:fixed;text-align:left">
<tr><td class="text" style="padding:0 0 16px;${text};font-weight:600">Patchbay</td></tr>
<tr><td class="card" style="padding:28px 24px 12px;border:1px solid #d1d9e0;border-radius:8px;background-color:#ffffff">
<h1 class="text" style="margin:0 0 16px;${text};font-size:22px;line-height:28px;font-weight:600">${subject}</h1>
${paragraph(summary)}
${enteredCode === undefined ? emptyHtml : renderCode(enteredCode)}
${sections.map((section) => renderSection(section, publicUrl))}
${action ? renderAction(action, publicUrl) : emptyHtml}
${notes.map(paragraph)}
</td></tr>
<tr><td style="padding:16px 4px 0">${renderFooter(message, publicUrl)}</td></tr>
</table>
</td></tr></table>
</body>
</html>
`.html
}
