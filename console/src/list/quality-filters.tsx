import type { OwnerSid } from '../api/record-queries.ts'
import { likelyProvider } from '../lazy/prefetch.ts'
import type { QualityPeriod } from '../routes/call-quality.ts'
import { requiredSession } from '../session/session.ts'
import { FilterChip } from '../ui/table/filter-chip.tsx'
import { unlessAll } from './account-filter.tsx'

/** The filters of screens with statistics. */

const getPeriods = (isRolling: boolean): readonly { value: QualityPeriod; label: string }[] => [
  { value: '1', label: isRolling ? 'last 24 hours' : 'today (UTC)' },
  { value: '7', label: 'last 7 days' },
  { value: '30', label: 'last 30 days' },
  { value: '90', label: 'last 90 days' },
]

/** The period without a parameter in the URL. */
export const defaultPeriod: QualityPeriod = '7'

interface PeriodFilterProps {
  days: QualityPeriod | undefined
  /** The default period of the screen, without a parameter in the URL. */
  unset?: QualityPeriod
  /** Whether the period ends now, and does not consist of days in UTC. */
  isRolling?: boolean
  onChange: (days: QualityPeriod) => void
}

export const PeriodFilter = ({
  unset = defaultPeriod,
  days = unset,
  isRolling = false,
  onChange,
}: PeriodFilterProps) => (
  <FilterChip label="Date" unset={unset} value={days} options={getPeriods(isRolling)} onChange={onChange} />
)

/** Returns, before any data is loaded, the account or provider whose statistics will probably be shown. */
export const likelyOwner = async (account: string | undefined): Promise<OwnerSid> => {
  const account_sid = unlessAll(account) ?? requiredSession().actor.account_sid
  return account_sid ? { account_sid } : { service_provider_sid: await likelyProvider() }
}
