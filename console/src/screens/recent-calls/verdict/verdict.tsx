import type { Call } from '@patchbay/contract/recent-calls'
import { type CallEvidence, sideLabels } from '@patchbay/rules/call-verdict/evidence'
import { CircleAlert, CircleX, Info } from 'lucide-react'
import { useState } from 'react'
import { alerts } from '../../../routes/alerts.ts'
import { ScreenLink } from '../../../screen/links.tsx'
import { BlockContacts } from '../../../sections/sip/block-contacts.tsx'
import { StateBadge } from '../../../ui/badge.tsx'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import type { CallTab } from '../call-tab.ts'
import { listSources, toDatePreset } from './format-verdict.ts'
import { useVerdict } from './use-verdict.ts'
import styles from './verdict.module.css'

const icons = { neutral: Info, warn: CircleAlert, bad: CircleX }

const tabs = { trace: 'tracing', logs: 'logs', sip: 'sip' } as const
const tabLabels = { trace: 'Show trace', logs: 'Show logs', sip: 'Show SIP' } as const

interface ProofProps {
  evidence: CallEvidence
  call: Call
  onShow: (tab: CallTab) => void
}

/** Opens the tab or the screen that proves a statement. */
const Proof = ({ evidence: { source, alert_type }, call, onShow }: ProofProps) => {
  if (source === 'record') return null
  if (source !== 'alerts')
    return (
      <Button size="small" onClick={() => onShow(tabs[source])}>
        {tabLabels[source]}
      </Button>
    )
  const search = { account: call.account_sid, date: toDatePreset(call.attempted_at), type: alert_type }
  return (
    <ScreenLink to={alerts} search={search} className={buttonClass('secondary', 'small')}>
      Show alerts
    </ScreenLink>
  )
}

const Side = ({ side }: Pick<CallEvidence, 'side'>) => (
  <StateBadge tone="neutral" icon={<span className="visually-hidden">Side: </span>}>
    {sideLabels[side]}
  </StateBadge>
)

interface VerdictProps {
  call: Call
  isTraced: boolean
  isLogged: boolean
  onShow: (tab: CallTab) => void
}

/**
 * Says what happened in a call, on which side, and what to do. The record is judged immediately; the space for the
 * evidence is reserved, so that nothing moves when it arrives.
 */
export const Verdict = ({ call, isTraced, isLogged, onShow }: VerdictProps) => {
  const { verdict, sources } = useVerdict(call, { isTraced, isLogged })
  const [isOpen, setOpen] = useState(false)
  const { tone, title, cause, further } = verdict
  const Icon = icons[tone]
  const isLoading = sources.some(({ state }) => state === 'loading')
  const isProblem = call.answered && cause !== undefined
  const checked = <span className={styles['checked']}>{listSources(sources)}</span>
  const advice = cause !== undefined && (
    <>
      {cause.detail && <p>{cause.detail}</p>}
      <BlockContacts contacts={cause.contacts} />
      {cause.next && <p className={styles['next']}>{cause.next}</p>}
    </>
  )
  const more = further.length === 1 ? '1 more finding' : `${further.length} more findings`
  return (
    <section
      aria-label="Verdict"
      aria-busy={isLoading}
      className={classes(styles['verdict'], styles[tone], !call.answered && styles['failed'])}
    >
      <Icon aria-hidden="true" />
      <div className={styles['text']}>
        <p className={styles['title']}>
          {title}
          {cause !== undefined && !isProblem && <Side side={cause.side} />}
        </p>
        {!call.answered && <div className={styles['advice']}>{advice}</div>}
        <div className={styles['proof']}>
          {isProblem && (
            <span>
              {cause.title} <Side side={cause.side} />
            </span>
          )}
          {cause && <Proof evidence={cause} call={call} onShow={onShow} />}
          {(isProblem || further.length > 0) && (
            <Button size="small" variant="ghost" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isProblem ? 'Recommended action' : more}
            </Button>
          )}
          {!isProblem && checked}
        </div>
        {isOpen && (
          <div className={styles['further']}>
            {isProblem && advice}
            <ul>
              {further.map((evidence) => (
                <li key={`${evidence.source} ${evidence.title}`}>
                  <p>
                    {evidence.title} <Side side={evidence.side} />
                  </p>
                  {evidence.detail && <p>{evidence.detail}</p>}
                  <BlockContacts contacts={evidence.contacts} />
                  {evidence.next && <p className={styles['next']}>{evidence.next}</p>}
                  <Proof evidence={evidence} call={call} onShow={onShow} />
                </li>
              ))}
            </ul>
            {isProblem && checked}
          </div>
        )}
      </div>
    </section>
  )
}
