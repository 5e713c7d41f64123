import type { CallReport } from '@patchbay/contract/call-reports'
import { formatDurationLong } from '@patchbay/contract/shared/durations'
import { emptyHtml, type Html, html } from '../../lib/html.ts'
import { formatOffset, renderLadder, toMessageNumber } from './render-ladder.ts'
import { reportStyle } from './report-style.ts'

/** Renders a report as one HTML file, which loads nothing and has no scripts. */

const numberNotes = {
  shown: 'Phone numbers and SIP users are shown.',
  last_digits: 'Phone numbers are masked except for their last four digits, and SIP users are masked.',
  masked: 'Phone numbers and SIP users are masked.',
} as const

const addressNotes = {
  shown: 'Addresses are shown.',
  private: 'Addresses of private networks are replaced, by 192.0.2.x and 2001:db8::x.',
  all: 'All addresses are replaced, by 192.0.2.x and 2001:db8::x.',
} as const

/** Describes the masking of a report in sentences. */
const describeMasking = ({ numbers, addresses }: CallReport['masking']): string =>
  `${numberNotes[numbers]} ${addressNotes[addresses]} Equal values have equal replacements. Credentials, keys, headers ` +
  'that Patchbay does not know, and bodies other than session descriptions are left out.'

/** Formats a time in UTC: `2026-11-30 08:32:23.120 UTC`. */
const formatUtc = (iso: string): string => `${iso.replace('T', ' ').replace(/Z$/, '')} UTC`

const formatMicroseconds = (at: number): string => formatUtc(new Date(at / 1000).toISOString())

const renderFacts = (facts: readonly (readonly [string, string | null])[]): Html =>
  html`<dl>
    ${facts.map(([label, value]) => (value === null ? emptyHtml : html`<div><dt>${label}</dt><dd>${value}</dd></div>`))}
  </dl>`

const renderCall = ({ account_name, call, legs }: CallReport): Html =>
  renderFacts([
    ['Reported by', account_name],
    ['Attempted', formatUtc(call.attempted_at)],
    ['Answered', call.answered_at && formatUtc(call.answered_at)],
    ['Ended', call.terminated_at && formatUtc(call.terminated_at)],
    ['Duration', formatDurationLong(call.duration)],
    ['Direction', call.direction],
    ['From', call.from],
    ['To', call.to],
    ['SIP status', call.sip_status],
    ['Termination reason', call.termination_reason],
    ['Trunk', call.trunk],
    ...legs.map(
      ({ name, sip_callid }) => [legs.length > 1 ? `Call-ID of leg ${name}` : 'Call-ID', sip_callid] as const,
    ),
  ])

const renderEvidence = ({ title, side, detail }: CallReport['verdict']['further'][number]): Html =>
  html`<li>${title} <span class="side">${side}</span>${detail === null ? emptyHtml : html`<br />${detail}`}</li>`

const renderVerdict = ({ verdict: { tone, title, cause, further } }: CallReport): Html => {
  const isProblem = cause !== null && cause.title !== title
  return html`<section class="verdict ${tone}">
    <p class="judged">${title}${cause === null || isProblem ? emptyHtml : html` <span class="side">${cause.side}</span>`}</p>
    ${cause === null || isProblem || cause.detail === null ? emptyHtml : html`<p>${cause.detail}</p>`}
    ${
      isProblem || further.length > 0
        ? html`<ul>
          ${isProblem ? renderEvidence(cause) : emptyHtml} ${further.map(renderEvidence)}
        </ul>`
        : emptyHtml
    }
    <p class="note">Judged by the call record and the captured SIP.</p>
  </section>`
}

const renderFindings = ({ findings }: CallReport): Html =>
  html`<ul class="findings">
    ${findings.map(
      ({ severity, text, source, arrows }) =>
        html`<li class="${severity}">
          <strong>${severity === 'bad' ? 'Error' : severity === 'warn' ? 'Warning' : 'Note'}:</strong> ${text}
          <span class="note">${source}</span>
          ${arrows.slice(0, 10).map((id) => {
            const number = String(toMessageNumber({ id }))
            return html` <a href="#message-${number}">Message ${number}</a>`
          })}
        </li>`,
    )}
  </ul>`

const renderMessage = ({ lanes, legs }: CallReport, arrow: CallReport['arrows'][number]): Html => {
  const { leg, from, to, at, since_first, title, transport, raw, again } = arrow
  const number = String(toMessageNumber(arrow))
  const copies = again.length === 0 ? '' : `, sent ${again.length + 1} times`
  const ofLeg = legs.length > 1 ? `Leg ${legs[leg]?.name ?? ''}. ` : ''
  return html`<section class="message" id="message-${number}">
    <h3>${number}. ${title}</h3>
    <p class="note">
      ${ofLeg}${lanes[from]?.host ?? ''} to ${lanes[to]?.host ?? ''}, ${transport}, ${formatMicroseconds(at)}
      (${formatOffset(since_first)})${copies}
    </p>
    <pre>${raw}</pre>
  </section>`
}

/** Renders a report as a complete document. */
export const renderReport = (report: CallReport): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <title>Call report</title>
        ${reportStyle}
      </head>
      <body><main>
        <h1>Call report</h1>
        ${renderVerdict(report)} ${renderCall(report)}
        <p class="note">${describeMasking(report.masking)} Recordings and media statistics are not part of the report.</p>
        ${report.is_cut ? html`<p><strong>The call has more messages than this report.</strong></p>` : emptyHtml}
        <h2>Findings</h2>
        ${renderFindings(report)}
        <h2>SIP ladder</h2>
        ${
          report.legs.length > 1
            ? html`<ul>
              ${report.legs.map(({ name, description }) => html`<li>Leg ${name}: ${description}</li>`)}
            </ul>`
            : emptyHtml
        }
        ${renderLadder(report)}
        <h2>Messages</h2>
        ${report.arrows.map((arrow) => renderMessage(report, arrow))}
      </main></body>
    </html> `.html
