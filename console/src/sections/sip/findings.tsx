import type { SipFinding } from '@patchbay/rules/sip/findings/rule'
import { hostAt, type SipLadder } from '@patchbay/rules/sip/ladder'
import { CircleAlert, CircleCheck, CircleX, Info, type LucideIcon } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { BlockContacts } from './block-contacts.tsx'
import styles from './sip.module.css'

const looks: Readonly<Record<SipFinding['severity'], readonly [icon: LucideIcon, word: string]>> = {
  bad: [CircleX, 'Error'],
  warn: [CircleAlert, 'Warning'],
  good: [CircleCheck, 'OK'],
  info: [Info, 'Note'],
}

interface FindingsProps {
  ladder: SipLadder
  findings: readonly SipFinding[]
  selected: SipFinding | undefined
  onShow: (finding: SipFinding) => void
}

const Where = ({ ladder, messageIndex }: { ladder: SipLadder; messageIndex: number }) => (
  <span>
    Look at <span className="mono">{hostAt(ladder, messageIndex)}</span>
  </span>
)

/** The findings of the analysis, each with the messages that it is based on. */
export const Findings = ({ ladder, findings, selected, onShow }: FindingsProps) => (
  <section aria-label="Findings">
    <ul className={styles['findings']}>
      {findings.map((finding) => {
        const { severity, text, where, leg, arrows, source, contacts } = finding
        const name = leg === undefined ? undefined : ladder.legs[leg]?.name
        const [Icon, word] = looks[severity]
        return (
          <li key={`${leg} ${text} ${arrows.join(' ')}`} className={classes(styles['finding'], styles[severity])}>
            <Icon size={16} aria-hidden="true" />
            <div>
              <p>
                <span className="visually-hidden">{word}: </span>
                {name && `Leg ${name}: `}
                {text}
              </p>
              <BlockContacts contacts={contacts} />
              <p className={styles['source']}>
                <span>{source}</span>
                {where !== undefined && (severity === 'bad' || severity === 'warn') && (
                  <Where ladder={ladder} messageIndex={where} />
                )}
                {arrows.length > 0 && (
                  <Button
                    variant="ghost"
                    size="small"
                    aria-pressed={finding === selected}
                    onClick={() => onShow(finding)}
                  >
                    {arrows.length === 1 ? 'Show the message' : `Show ${arrows.length} messages`}
                    <span className="visually-hidden">: {text}</span>
                  </Button>
                )}
              </p>
            </div>
          </li>
        )
      })}
    </ul>
  </section>
)
