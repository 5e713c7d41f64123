import type { CallQuality } from '@patchbay/contract/call-quality'
import { describeStatus, formatStatus } from '@patchbay/rules/sip/statuses'
import type { CallSearch } from '../../routes/recent-calls.ts'
import { FigureTable } from '../../ui/figure-table.tsx'
import { formatPercent } from '../../ui/format/percent.ts'
import { formatCount } from '../../ui/format/text.ts'
import { CallsLink } from './figures-table.tsx'
import styles from './quality.module.css'

/** Table of unanswered calls by SIP status, most frequent first. */
export const Failures = ({ quality, search }: { quality: CallQuality; search: CallSearch }) => {
  const failed = quality.total.attempts - quality.total.answered
  return (
    <FigureTable title="Calls that were not answered">
      <thead>
        <tr>
          <th scope="col">Ended with</th>
          <th scope="col">Calls</th>
          <th scope="col">Share</th>
        </tr>
      </thead>
      <tbody>
        {quality.statuses.map(({ sip_status, calls }) => (
          <tr key={sip_status}>
            <th scope="row">
              {sip_status === 0 ? 'unknown' : formatStatus(sip_status)}
              {sip_status !== 0 && <span className={styles['meaning']}>{describeStatus(sip_status).explanation}</span>}
            </th>
            <td>
              {sip_status === 0 ? (
                formatCount(calls)
              ) : (
                <CallsLink
                  count={calls}
                  nouns={['call', 'calls']}
                  detail={`that ended with ${sip_status}`}
                  search={{ ...search, answered: 'false', sip_status: String(sip_status) }}
                />
              )}
            </td>
            <td>{formatPercent(calls / failed)}</td>
          </tr>
        ))}
      </tbody>
    </FigureTable>
  )
}
