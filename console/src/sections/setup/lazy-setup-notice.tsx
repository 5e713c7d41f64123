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

/**
 * The setup steps until users can make calls, for the start screens. What arrives after the screen has opened is not
 * shown, because the content below would move.
 */
export const LazySetupNotice = ({ owner }: { owner: OwnerSid }) => {
  const query = overviewQuery(owner)
  const [isLoaded] = useState(
    () =>
      queryClient.getQueryData(query.queryKey)?.setup.is_ready === false && queryClient.getQueryData(notice.queryKey),
  )
  const { data } = useQuery({ ...query, enabled: Boolean(isLoaded) })
  const part = useQuery({ ...notice, enabled: false })
  if (!isLoaded || !data || data.setup.is_ready || !part.data) return null
  return <part.data.Part setup={data.setup} />
}
