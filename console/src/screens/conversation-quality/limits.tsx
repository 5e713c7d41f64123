import { limitMeasureNames } from '@patchbay/contract/conversations/figures'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OwnerSid } from '../../api/record-queries.ts'
import { lazyDialog } from '../../lazy/lazy-dialog.tsx'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { DateTime } from '../../ui/format/time.tsx'
import { limitsQuery } from './queries.ts'

const LimitsDialog = lazyDialog('conversation-limits', async () => (await import('./limits-dialog.tsx')).LimitsDialog)

interface LimitsProps {
  owner: OwnerSid
  /** Whether the owner is known already. */
  isEnabled: boolean
}

/** The button that opens the limits. */
export const LimitsButton = ({ owner, isEnabled }: LimitsProps) => {
  const [isOpen, setOpen] = useState(false)
  const { data } = useQuery({ ...limitsQuery(owner), enabled: isEnabled })
  if (data === undefined) return null
  return (
    <>
      <Button onClick={() => setOpen(true)} disabledReason={viewOnlyReason(requiredSession().actor)}>
        Limits
      </Button>
      {isOpen && <LimitsDialog owner={owner} limits={data} onClose={() => setOpen(false)} />}
    </>
  )
}

/** Says which limits are exceeded. */
export const ExceededLimits = ({ owner, isEnabled }: LimitsProps) => {
  const { data } = useQuery({ ...limitsQuery(owner), enabled: isEnabled })
  if (data === undefined || data.exceeded.length === 0) return null
  return (
    <Banner tone="warn" title="Conversations exceed a limit">
      <ul>
        {data.exceeded.map(({ measure, since }) => (
          <li key={measure}>
            The {limitMeasureNames[measure]}, since <DateTime iso={since} />
          </li>
        ))}
      </ul>
    </Banner>
  )
}
