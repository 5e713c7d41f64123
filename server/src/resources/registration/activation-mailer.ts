import { noOwner } from '@patchbay/contract/api/access'
import { normalizeMailbox, tryConsume } from '../../auth/counters/counters.ts'
import { toClientNetwork } from '../../lib/client-network.ts'
import type { Services } from '../services.ts'
import { createCodeMail, createExistingAccountMail } from './mail-templates.ts'

/** Mails to people who register, sent after the response, and rate limits for requests without authentication. */

const hour = 3600
/** Mails per address and hour, and registrations and invite code attempts per network and hour. */
const maxMails = 4
const maxRegistrations = 60
const maxCodes = 30
const maxConfirmations = 5 * maxRegistrations
/**
 * Activation code attempts per mailbox and hour, over all networks and all codes. With a million codes, 240 attempts
 * per day find the right one after eleven years on average.
 */
const maxGuessesPerHour = 10

const failureMessage = 'a registration email could not be sent'

export interface CodeMail {
  email: string
  /** Undefined if the address already has an account. The email then says how to sign in (`existingProvider`). */
  code: string | undefined
  existingProvider: string | undefined
  address: string
  request_id: string
}

export const createCodeMails = ({ counters, backgroundMail, backgroundTasks, trail }: Services) => {
  const send = async ({ email, code, existingProvider, address, request_id }: CodeMail): Promise<void> => {
    if (
      !(await tryConsume(counters, {
        counter: `register:email:${normalizeMailbox(email)}`,
        max: maxMails,
        seconds: hour,
      }))
    )
      return
    const message =
      code === undefined ? createExistingAccountMail(email, existingProvider ?? 'local') : createCodeMail(email, code)
    await backgroundMail.send(message, failureMessage, () => {
      const thing = { action: 'create', kind: 'activation_code', sid: null, name: email } as const
      trail.note({ ...thing, caller: undefined, address, request_id, owner: noOwner, reason: null })
    })
  }
  const limitPerNetwork = (what: string, max: number) => (address: string) =>
    tryConsume(counters, { counter: `${what}:${toClientNetwork(address)}`, max, seconds: hour })
  return {
    consumeRegistration: limitPerNetwork('register:address', maxRegistrations),
    consumeLink: limitPerNetwork('sign-in-links:address', maxRegistrations),
    consumeConfirmation: limitPerNetwork('confirm:address', maxConfirmations),
    consumeInviteCode: limitPerNetwork('invite:address', maxCodes),
    consumeGuess: (email: string) =>
      tryConsume(counters, {
        counter: `confirm:mailbox:${normalizeMailbox(email)}`,
        max: maxGuessesPerHour,
        seconds: hour,
      }),
    sendInBackground(codeMail: CodeMail): void {
      backgroundTasks.begin(failureMessage, () => send(codeMail))
    },
  }
}
