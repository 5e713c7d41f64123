import type { WebhookProblem } from '@patchbay/contract/webhook-test'
import { CircleX } from 'lucide-react'
import { classes } from '../../../ui/classes.ts'
import { splitLines } from './format-report.ts'
import styles from './webhook.module.css'

interface CodeLinesProps {
  /** Accessible name of the text. */
  label: string
  text: string
  /** Problems, each shown below its line. */
  faults?: readonly WebhookProblem[]
  /** Prefix of the line element ids, before the line number. */
  id?: string
  /** Shows the text without line numbers and with less height. */
  plain?: boolean
}

/** A text with numbered lines and the problems below each. The scrollable region is focusable for keyboard users. */
export const CodeLines = ({ label, text, faults = [], id = '', plain = false }: CodeLinesProps) => {
  const { lines, isCut } = splitLines(text)
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached */}
      <div role="region" aria-label={label} tabIndex={0} className={classes(styles['code'], plain && styles['plain'])}>
        <ol>
          {[...lines.entries()].map(([index, line]) => {
            const problems = faults.filter((fault) => fault.line === index + 1)
            return (
              <li
                key={index}
                id={problems.length === 0 ? undefined : `${id}${index + 1}`}
                tabIndex={problems.length === 0 ? undefined : -1}
                className={classes(problems.length > 0 && styles['wrong'])}
              >
                <code>{line}</code>
                {problems.map(({ message, column }) => (
                  <p key={`${column} ${message}`} className={styles['message']}>
                    <CircleX size={13} aria-hidden="true" />
                    {message}
                  </p>
                ))}
              </li>
            )
          })}
        </ol>
      </div>
      {isCut && <p className="note">The rest is not shown.</p>}
    </>
  )
}
