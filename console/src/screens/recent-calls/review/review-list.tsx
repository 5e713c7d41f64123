import type { Review } from '@patchbay/contract/reviews'
import { StateBadge } from '../../../ui/badge.tsx'
import { Name } from '../../../ui/format/reference.tsx'
import { DateTime } from '../../../ui/format/time.tsx'
import styles from './review.module.css'

/** Lists the reviews of a call. Those of a language model are marked. */
export const ReviewList = ({ reviews }: { reviews: readonly Review[] }) => (
  <ul className={styles['reviews']}>
    {reviews.map(({ reviewer_sid, reviewer, is_model, score, criteria, labels, note, updated_at }) => (
      <li key={reviewer_sid}>
        <p className={styles['head']}>
          <strong>{score} of 5</strong>
          <Name>{reviewer}</Name>
          {is_model && <StateBadge tone="neutral">Language model</StateBadge>}
          <DateTime iso={updated_at} />
        </p>
        {criteria.length > 0 && <p>{criteria.map((one) => `${one.name}: ${one.score}`).join(', ')}</p>}
        {labels.length > 0 && <p>Labels: {labels.join(', ')}</p>}
        {note !== '' && <p className={styles['note']}>{note}</p>}
      </li>
    ))}
  </ul>
)
