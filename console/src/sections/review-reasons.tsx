import type { ReviewReason } from '@patchbay/contract/shared/review-limits'
import { StateBadge } from '../ui/badge.tsx'

/** Why a call is to be reviewed. */

export const reviewReasonLabels: Readonly<Record<ReviewReason, string>> = {
  slow: 'Slow response',
  interrupted: 'Interruption',
  failed: 'Error',
  random: 'Random sample',
  manual: 'Added by a user',
}

/** Shows each reason as a badge. */
export const ReviewReasons = ({ reasons }: { reasons: readonly ReviewReason[] }) =>
  reasons.map((reason) => (
    <StateBadge
      key={reason}
      tone={reason === 'failed' ? 'bad' : reason === 'random' || reason === 'manual' ? 'neutral' : 'warn'}
    >
      {reviewReasonLabels[reason]}
    </StateBadge>
  ))
