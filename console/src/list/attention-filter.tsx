import type { ListedAttention } from '@patchbay/contract/shared/attention-kinds'
import { RemovableFilter } from '../ui/table/further-filters.tsx'

const labels: Readonly<Record<ListedAttention, string>> = {
  carrier_unregistered: 'Not registered',
  registration_unreported: 'No registration reported',
  speech_missing: 'Speech service not configured',
  speech_test_failed: 'Last test failed',
  number_without_application: 'No application',
  api_key_expiring: 'Expires within 30 days',
}

interface AttentionFilterProps {
  kind: ListedAttention | undefined
  onRemove: () => void
}

/** Names the problem that all records of a list have, which the link from the overview chose, and removes the filter. */
export const AttentionFilter = ({ kind, onRemove }: AttentionFilterProps) =>
  kind !== undefined && <RemovableFilter text={labels[kind]} onRemove={onRemove} />
