import type { CallFigures } from '@patchbay/contract/overview'
import { describeStatus, formatStatus } from '@patchbay/rules/sip/statuses'
import { type CallSearch, recentCalls } from '../../routes/recent-calls.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { Block } from '../../ui/block.tsx'
import { capitalize, formatCount } from '../../ui/format/text.ts'
import { callsInScope } from './calls-in-scope.ts'
import styles from './overview.module.css'

type Failures = CallFigures['failures']

/** Returns the filters of the recent calls that select the failures with a final SIP status. */
const toCallSearch = ({ from, until }: Failures, sip_status: number): CallSearch => ({
  ...callsInScope(),
  from,
  until,
  answered: 'false',
  sip_status: String(sip_status),
})

/** Turns the explanation of a status, which continues a sentence about the responder, into a sentence. */
const toSentence = (explanation: string): string => {
  const text = explanation.replace(/^it\b/, 'the other side')
  return `${capitalize(text)}.`
}

/** The most frequent failures with their meaning, each with a link to its calls. */
export const FailuresTable = ({ failures }: { failures: Failures }) => (
  <Block title="Most frequent failures" aside="since yesterday (UTC)">
    {failures.statuses.length === 0 ? (
      <p className={styles['hint']}>No call failed. Busy, canceled, and unanswered calls do not count as failures.</p>
    ) : (
      <table className={styles['failures']} aria-label="Most frequent failures">
        <thead>
          <tr>
            <th scope="col">SIP status</th>
            <th scope="col">Meaning</th>
            <th scope="col">Calls</th>
          </tr>
        </thead>
        <tbody>
          {failures.statuses.map(({ sip_status, calls }) => (
            <tr key={sip_status}>
              <th scope="row">{sip_status === 0 ? 'Unknown' : formatStatus(sip_status)}</th>
              <td className={styles['meaning']}>
                {sip_status !== 0 && toSentence(describeStatus(sip_status).explanation)}
              </td>
              <td>
                <ScreenLink
                  to={recentCalls}
                  search={toCallSearch(failures, sip_status)}
                  aria-label={`${formatCount(calls)} calls that failed ${sip_status === 0 ? 'without a status' : `with ${sip_status}`}`}
                >
                  {formatCount(calls)}
                </ScreenLink>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </Block>
)
