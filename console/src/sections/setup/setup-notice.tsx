import type { Setup } from '@patchbay/contract/overview'
import { overview } from '../../routes/overview.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { StateBadge } from '../../ui/badge.tsx'
import styles from './setup-notice.module.css'
import { stepBadges, stepTitles } from './step-labels.ts'

/** The setup steps in compact form, for the start screens. The overview says how to complete each of them. */
export const SetupNotice = ({ setup: { steps } }: { setup: Setup }) => (
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
