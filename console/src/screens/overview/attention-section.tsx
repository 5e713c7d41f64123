import type { Attention, AttentionRecord } from '@patchbay/contract/overview'
import { maxAttentionRecords } from '@patchbay/contract/shared/attention-kinds'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { Block } from '../../ui/block.tsx'
import { Button } from '../../ui/button.tsx'
import { PhoneNumberText } from '../../ui/format/phone-number.tsx'
import { Name } from '../../ui/format/reference.tsx'
import { formatCount } from '../../ui/format/text.ts'
import { RelativeTime } from '../../ui/format/time.tsx'
import { AttentionListLink, AttentionRecordLink } from './attention-links.tsx'
import { attentionTitle, detailText, expiryVerb } from './attention-messages.ts'
import styles from './overview.module.css'

const Detail = ({ kind, record }: { kind: Attention['kind']; record: AttentionRecord }) => {
  if (record.expires_at !== null)
    return (
      <>
        {expiryVerb(record.expires_at)} <RelativeTime iso={record.expires_at} />
      </>
    )
  return detailText(kind, record)
}

const Problem = ({ kind, count, records }: Attention) => {
  const [isOpen, setOpen] = useState(false)
  const visible = isOpen ? records : records.slice(0, maxAttentionRecords)
  const hidden = count - visible.length
  return (
    <li className={styles['problem']}>
      <TriangleAlert size={16} aria-hidden="true" />
      <div>
        <p className={styles['name']}>
          <AttentionListLink kind={kind}>{attentionTitle(kind, count)}</AttentionListLink>
        </p>
        {records.length > 0 && (
          <ul className={styles['records']} aria-label={attentionTitle(kind, count)}>
            {visible.map((record) => (
              <li key={`${record.sid} ${record.name} ${record.detail}`}>
                <AttentionRecordLink kind={kind} record={record}>
                  {kind === 'number_without_application' ? (
                    <PhoneNumberText value={record.name} />
                  ) : (
                    <Name>{record.name}</Name>
                  )}
                </AttentionRecordLink>{' '}
                <span className={styles['hint']}>
                  <Detail kind={kind} record={record} />
                </span>
              </li>
            ))}
            {hidden > 0 && (
              <li className={styles['hint']}>
                {visible.length < records.length ? (
                  <Button onClick={() => setOpen(true)}>Show {formatCount(hidden)} more</Button>
                ) : (
                  <AttentionListLink kind={kind}>and {formatCount(hidden)} more</AttentionListLink>
                )}
              </li>
            )}
          </ul>
        )}
      </div>
    </li>
  )
}

/** The problems of the account or the service provider, each with links to the records that solve it. */
export const AttentionSection = ({ attention }: { attention: readonly Attention[] }) => (
  <Block title="Needs attention" aside={attention.length > 0 && formatCount(attention.length)}>
    {attention.length === 0 ? (
      <p className={styles['hint']}>
        No problems found. Carriers, speech services, numbers, API keys, limits, and new alerts appear here.
      </p>
    ) : (
      <ul className={styles['problems']}>
        {attention.map((problem) => (
          <Problem key={problem.kind} {...problem} />
        ))}
      </ul>
    )}
  </Block>
)
