import type { Call } from '@patchbay/contract/recent-calls'
import { type CallResult, getCallResult } from '@patchbay/rules/calls/call-result'
import { Ban, CircleAlert, CircleCheck, CircleMinus, CircleX } from 'lucide-react'
import { classes } from '../../ui/classes.ts'
import styles from './call-state.module.css'

const looks: Readonly<Record<CallResult, string | undefined>> = {
  answered: styles['answered'],
  busy: styles['unreached'],
  'no answer': styles['unreached'],
  'not answered': styles['unreached'],
  cancelled: undefined,
  failed: styles['failed'],
}

const icons = {
  answered: CircleCheck,
  busy: CircleMinus,
  'no answer': CircleAlert,
  'not answered': CircleAlert,
  cancelled: Ban,
  failed: CircleX,
} as const satisfies Record<CallResult, unknown>

/**
 * Shows the result of a call. Each result has its own shape, and only a failure is filled, because everything else needs
 * no action. Only the screens of this folder load it.
 */
export const callState = (call: Pick<Call, 'answered' | 'sip_status'>) => {
  const result = getCallResult(call)
  const status = call.sip_status ?? 0
  const Icon = icons[result]
  return (
    <span className={classes(styles['result'], looks[result])}>
      <Icon size={14} aria-hidden="true" />
      <span>
        {result}
        {!call.answered && status > 0 && ` ${status}`}
      </span>
    </span>
  )
}
