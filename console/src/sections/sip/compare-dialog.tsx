import { hostAt, type SipArrow, type SipLadder, secondsText } from '@patchbay/rules/sip/ladder'
import { type ComparedLine, changedPart, diffLines } from '@patchbay/rules/sip/line-diff'
import { useMemo, useState } from 'react'
import { classes } from '../../ui/classes.ts'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import styles from './sip.module.css'

const marks: Readonly<Record<ComparedLine['change'], readonly [sign: string, word: string]>> = {
  same: ['', ''],
  changed: ['≠', 'changed'],
  left: ['−', 'only in the first'],
  right: ['+', 'only in the second'],
}

/** A line with its differences highlighted. */
const Part = ({ text, other, change }: { text: string | undefined; other: string | undefined; change: string }) => {
  if (text === undefined) return null
  if (change !== 'changed' || other === undefined) return change === 'same' ? text : <mark>{text}</mark>
  const [before, after] = changedPart(text, other)
  return (
    <>
      {text.slice(0, before)}
      <mark>{text.slice(before, text.length - after)}</mark>
      {text.slice(text.length - after)}
    </>
  )
}

interface ComparedDialogProps {
  ladder: SipLadder
  first: SipArrow
  second: SipArrow
  onClose: () => void
}

const formatHeader = (ladder: SipLadder, { title, from, to, sinceFirst }: SipArrow): string =>
  `${title}, ${hostAt(ladder, from)} to ${hostAt(ladder, to)}, ${secondsText(sinceFirst)}`

/** Two messages side by side, and what changed from one to the other. */
export const ComparedDialog = ({ ladder, first, second, onClose }: ComparedDialogProps) => {
  const [isBrief, setBrief] = useState(false)
  const lines = useMemo(() => diffLines(first.raw, second.raw), [first, second])
  const changed = lines.filter(({ change }) => change !== 'same')
  return (
    <Dialog title={`${first.title} and ${second.title}`} size="large" closeOnBackdrop onClose={onClose}>
      <div tabIndex={-1} data-autofocus className={styles['read']}>
        <div className={styles['tools']}>
          <span>
            {changed.length === 0
              ? 'The messages are identical.'
              : `${changed.length} of ${lines.length} lines differ.`}
          </span>
          <label>
            <input type="checkbox" checked={isBrief} onChange={({ target }) => setBrief(target.checked)} /> Differences
            only
          </label>
        </div>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by keys */}
        <div className={styles['compared']} tabIndex={0} role="region" aria-label="Both messages">
          <table>
            <thead>
              <tr>
                <th scope="col">
                  <span className="visually-hidden">Change</span>
                </th>
                <th scope="col">{formatHeader(ladder, first)}</th>
                <th scope="col">{formatHeader(ladder, second)}</th>
              </tr>
            </thead>
            <tbody>
              {(isBrief ? changed : lines).map(({ change, left, right }, position) => (
                // Lines have no id and are never reordered.
                <tr key={`${position} ${left ?? right}`} className={classes(change !== 'same' && styles['differs'])}>
                  <td>
                    <span aria-hidden="true">{marks[change][0]}</span>
                    <span className="visually-hidden">{marks[change][1]}</span>
                  </td>
                  <td>
                    <Part text={left} other={right} change={change} />
                  </td>
                  <td>
                    <Part text={right} other={left} change={change} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </Dialog>
  )
}
