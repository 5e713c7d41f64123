import type { Setup } from '@patchbay/contract/overview'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../../api/query-client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { canOpen } from '../../routes/define-screen.ts'
import { overview } from '../../routes/overview.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { requiredSession } from '../../session/session.ts'
import { stored } from '../../session/storage.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { overviewQuery } from './overview-query.ts'
import styles from './setup-notice.module.css'
import { stepBadges, stepTitles } from './step-labels.ts'

const toKey = (owner: OwnerSid): string => JSON.stringify(overviewQuery(owner).queryKey)

/** Keeps open steps for the next time that the page is loaded. */
const remember = (owner: OwnerSid, setup: Setup): void => {
  if (setup.is_ready) stored.openSetup.clear()
  else stored.openSetup.write(JSON.stringify([toKey(owner), setup]))
}

/** Returns the steps that were open when the page was loaded before. Another version of the console had other steps. */
const recall = (owner: OwnerSid): Setup | undefined => {
  try {
    const [key, setup] = JSON.parse(stored.openSetup.read() ?? '[]') as [string?, Setup?]
    const isCurrent = setup?.steps.every(({ step, state }) => step in stepTitles && state in stepBadges)
    return isCurrent && key === toKey(owner) ? setup : undefined
  } catch {
    return undefined
  }
}

/** Reads the setup steps if the server has an overview. */
export const prefetchSetupNotice = async (owner: OwnerSid): Promise<void> => {
  if (!canOpen(overview, requiredSession().actor)) return
  const { setup } = await queryClient.ensureQueryData(overviewQuery(owner))
  remember(owner, setup)
}

/** The steps that the first start screen of each owner since the page was loaded shows. Undefined for none. */
const decisions = new Map<string, Setup | undefined>()

const decide = (owner: OwnerSid): Setup | undefined => {
  const key = toKey(owner)
  if (!decisions.has(key)) {
    const setup = queryClient.getQueryData(overviewQuery(owner).queryKey)?.setup ?? recall(owner)
    decisions.set(key, setup?.is_ready === false ? setup : undefined)
  }
  return decisions.get(key)
}

/**
 * The setup steps until users can make calls, in compact form, for the start screens. Until they have arrived, those of
 * the last visit are shown. Without one, steps that arrive after the first start screen has opened are not shown until
 * the page is loaded again, because the rows that the user reads or returns to would move.
 */
export const SetupNotice = ({ owner }: { owner: OwnerSid }) => {
  const [first] = useState(() => decide(owner))
  const { data } = useQuery({ ...overviewQuery(owner), enabled: first !== undefined })
  const setup = data?.setup ?? first
  if (first === undefined || setup === undefined || setup.is_ready) return null
  const { steps } = setup
  return (
    <section className={styles['notice']} aria-label="Get ready for calls">
      <p>
        <strong>Get ready for calls:</strong> {steps.filter(({ state }) => state === 'done').length} of {steps.length}{' '}
        steps are done. <ScreenLink to={overview}>Show the steps</ScreenLink>
      </p>
      <ol className={styles['steps']}>
        {steps.map(({ step, state }) => (
          <li key={step}>
            <StateBadge tone={stepBadges[state].tone}>
              {stepTitles[step]}
              <span className="visually-hidden">: {stepBadges[state].label}</span>
            </StateBadge>
          </li>
        ))}
      </ol>
    </section>
  )
}
