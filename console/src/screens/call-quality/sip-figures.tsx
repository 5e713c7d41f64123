import type { BlockedNumber, CallQuality, IdentityFigures } from '@patchbay/contract/call-quality'
import { type CallSearch, recentCalls } from '../../routes/recent-calls.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { FigureTable, wideOnly } from '../../ui/figure-table.tsx'
import { usePhoneNumberFormat } from '../../ui/format/phone-number-format.ts'
import { Name } from '../../ui/format/reference.tsx'
import { formatCount } from '../../ui/format/text.ts'
import { RelativeTime } from '../../ui/format/time.tsx'
import styles from './quality.module.css'

/** Tables of blocked calling numbers and of claimed identities. They load in a chunk of their own. */

const BlockedNumbers = ({ numbers, search }: { numbers: readonly BlockedNumber[]; search: CallSearch }) => {
  const formatNumber = usePhoneNumberFormat()
  return (
    <section>
      <FigureTable title="Blocked calling numbers">
        <thead>
          <tr>
            <th scope="col">Calling number</th>
            <th scope="col">Blocked</th>
            <th scope="col" className={wideOnly}>
              Analytics (603+)
            </th>
            <th scope="col" className={wideOnly}>
              Filter (608)
            </th>
            <th scope="col" className={wideOnly}>
              Unwanted (607)
            </th>
            <th scope="col">Last</th>
          </tr>
        </thead>
        <tbody>
          {numbers.map(({ number, calls, analytics, filtered, unwanted, last_at }) => (
            <tr key={number}>
              <th scope="row">
                <ScreenLink
                  to={recentCalls}
                  search={{ ...search, number, answered: 'false', direction: 'outbound' }}
                  aria-label={`Unanswered outbound calls with ${formatNumber(number)}`}
                >
                  <bdi className={styles['number']}>{formatNumber(number)}</bdi>
                </ScreenLink>
              </th>
              <td>{formatCount(calls)}</td>
              <td className={wideOnly}>{formatCount(analytics)}</td>
              <td className={wideOnly}>{formatCount(filtered)}</td>
              <td className={wideOnly}>{formatCount(unwanted)}</td>
              <td>
                <RelativeTime iso={last_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </FigureTable>
      <p className={`note ${styles['remark']}`}>
        These outbound calls were blocked. Do not repeat them at once, and do not switch the carrier to get around a
        block: check the registration of the number with the providers of analytics, the attestation, and the call
        pattern. The SIP of a call can contain the contact of the network that blocked it.
      </p>
    </section>
  )
}

const Identities = ({ identities }: { identities: readonly IdentityFigures[] }) => (
  <section>
    <FigureTable title="Claimed identities">
      <thead>
        <tr>
          <th scope="col">Carrier</th>
          <th scope="col" className={wideOnly}>
            Direction
          </th>
          <th scope="col" className={wideOnly}>
            Calls
          </th>
          <th scope="col">A</th>
          <th scope="col">B</th>
          <th scope="col">C</th>
          <th scope="col" className={wideOnly}>
            No level
          </th>
          <th scope="col" className={wideOnly}>
            Said passed
          </th>
          <th scope="col" className={wideOnly}>
            Said failed
          </th>
        </tr>
      </thead>
      <tbody>
        {identities.map((row) => (
          <tr key={JSON.stringify([row.trunk, row.direction])}>
            <th scope="row">{row.trunk ? <Name>{row.trunk}</Name> : 'none'}</th>
            <td className={wideOnly}>{row.direction || 'unknown'}</td>
            <td className={wideOnly}>{formatCount(row.calls)}</td>
            <td>{formatCount(row.level_a)}</td>
            <td>{formatCount(row.level_b)}</td>
            <td>{formatCount(row.level_c)}</td>
            <td className={wideOnly}>{formatCount(row.no_level)}</td>
            <td className={wideOnly}>{formatCount(row.passed)}</td>
            <td className={wideOnly}>{formatCount(row.failed)}</td>
          </tr>
        ))}
      </tbody>
    </FigureTable>
    <p className={`note ${styles['remark']}`}>
      Attestation levels as the senders claim them in Identity headers, and verification results as the senders state
      them. Patchbay verifies neither, so none of these figures proves who called. Calls without a claim are not
      counted.
    </p>
  </section>
)

/** Shows what is counted of blocked calling numbers and of identities. */
export const SipFigures = ({ quality, search }: { quality: CallQuality; search: CallSearch }) => {
  const { total, blocked_numbers, identities } = quality
  return (
    <>
      {blocked_numbers === null && total.blocked > 0 && (
        <p className="note">
          Blocked calls are not reported by calling number, because the call records are in the InfluxDB of the
          platform.
        </p>
      )}
      {blocked_numbers !== null && blocked_numbers.length > 0 && (
        <BlockedNumbers numbers={blocked_numbers} search={search} />
      )}
      {identities.length > 0 && <Identities identities={identities} />}
    </>
  )
}
