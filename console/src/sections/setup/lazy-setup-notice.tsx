import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../../api/query-client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { lazyComponentQuery } from '../../lazy/lazy-component-query.ts'
import { canOpen } from '../../routes/define-screen.ts'
import { overview } from '../../routes/overview.ts'
import { requiredSession } from '../../session/session.ts'
import { overviewQuery } from './overview-query.ts'

const notice = lazyComponentQuery('setup notice', async () => (await import('./setup-notice.tsx')).SetupNotice)

/** Reads the setup steps, and loads the code that shows them, if the server has an overview. */
export const prefetchSetupNotice = async (owner: OwnerSid): Promise<unknown> =>
  canOpen(overview, requiredSession().actor) &&
  Promise.all([queryClient.ensureQueryData(overviewQuery(owner)), queryClient.ensureQueryData(notice)])

/** Owners for whom the first start screen since the page was loaded has decided whether it shows the notice. */
const decisions = new Map<string, boolean>()

const decideVisibility = (owner: OwnerSid): boolean => {
  const { queryKey } = overviewQuery(owner)
  const key = JSON.stringify(queryKey)
  const decided =
    decisions.get(key) ??
    (queryClient.getQueryData(queryKey)?.setup.is_ready === false &&
      queryClient.getQueryData(notice.queryKey) !== undefined)
  decisions.set(key, decided)
  return decided
}

/**
 * The setup steps until users can make calls, for the start screens. What arrives after the first of them has opened is
 * not shown until the page is loaded again, because the rows that the user reads or returns to would move.
 */
export const LazySetupNotice = ({ owner }: { owner: OwnerSid }) => {
  const query = overviewQuery(owner)
  const [isVisible] = useState(() => decideVisibility(owner))
  const { data } = useQuery({ ...query, enabled: isVisible })
  const part = useQuery({ ...notice, enabled: false })
  if (!isVisible || !data || data.setup.is_ready || !part.data) return null
  return <part.data.Part setup={data.setup} />
}
