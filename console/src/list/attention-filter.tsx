import type { ListedAttention } from '@patchbay/contract/shared/attention-kinds'
import { RemovableFilter } from '../ui/table/removable-filter.tsx'

const labels: Readonly<Record<ListedAttention, string>> = {
  carrier_unregistered: 'not registered',
  registration_unreported: 'nothing reported',
  speech_missing: 'speech not configured',
  speech_test_failed: 'last test failed',
  number_without_application: 'no application',
  api_key_expiring: 'expires within 30 days',
}

interface AttentionFilterProps {
  kind: ListedAttention | undefined
  onRemove: () => void
}

/** Names the problem that all records of a list have, which the link from the overview chose, and removes the filter. */
export const AttentionFilter = ({ kind, onRemove }: AttentionFilterProps) =>
  kind !== undefined && <RemovableFilter label="Problem" value={labels[kind]} onRemove={onRemove} />
