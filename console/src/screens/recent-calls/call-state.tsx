import type { Call } from '@patchbay/contract/recent-calls'
import { Ban, CircleAlert, CircleCheck, CircleMinus, CircleX } from 'lucide-react'
import { classes } from '../../ui/classes.ts'
import styles from './call-state.module.css'

const answered = { label: 'answered', look: styles['answered'], Icon: CircleCheck }
const busy = { label: 'busy', look: styles['unreached'], Icon: CircleMinus }
const noAnswer = { label: 'no answer', look: styles['unreached'], Icon: CircleAlert }
const cancelled = { label: 'cancelled', look: undefined, Icon: Ban }
const failed = { label: 'failed', look: styles['failed'], Icon: CircleX }
/** The called party declined, or the record has no status that says more. */
const notAnswered = { ...noAnswer, label: 'not answered' }

/** Statuses with a meaning of their own for a call that was not answered. Other errors are failures. */
const statusResults: Readonly<Partial<Record<number, typeof failed>>> = {
  408: noAnswer,
  480: noAnswer,
  486: busy,
  487: cancelled,
  600: busy,
  603: notAnswered,
}

/**
 * Shows the result of a call. Each result has its own shape, and only a failure is filled, because everything else needs
 * no action. Only the screens of this folder load it.
 */
export const callState = (call: Pick<Call, 'answered' | 'sip_status'>) => {
  const status = call.sip_status ?? 0
  const unanswered = statusResults[status] ?? (status < 400 ? notAnswered : failed)
  const { label, look, Icon } = call.answered ? answered : unanswered
  return (
    <span className={classes(styles['result'], look)}>
      <Icon size={14} aria-hidden="true" />
      <span>
        {label}
        {!call.answered && status > 0 && ` ${status}`}
      </span>
    </span>
  )
}
