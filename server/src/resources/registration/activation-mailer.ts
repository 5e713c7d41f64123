import { toClientNetwork } from '../../lib/client-network.ts'
import { normalizeMailbox, tryConsume } from '../../auth/counters/counters.ts'
import type { Services } from '../services.ts'
import { codeLetter, knownLetter } from './mail-templates.ts'

/** What is mailed to those who register, after the answer, and how often strangers may ask for it. */

const hour = 3600
/** Mails to one address in an hour; registrations from one network, and invite codes that it tries. */
const maxMails = 4
const maxRegistrations = 60
const maxCodes = 30
const maxConfirmations = 5 * maxRegistrations
/**
 * Activation codes that may be tried for one mailbox, from all networks together and however many codes were mailed. Of
 * a million codes, 240 tries a day find the right one once in eleven years on average.
 */
const maxGuessesPerHour = 10

export interface CodeMail {
  email: string
  /** undefined: the address has an account, to which one signs in as `knownAs` says */
  code: string | undefined
  knownAs: string | undefined
  address: string
  request_id: string
}

export const createCodeMails = ({ counters, mail, afterwards, trail }: Services) => {
  const send = async ({ email, code, knownAs, address, request_id }: CodeMail): Promise<void> => {
    if (
      !(await tryConsume(counters, {
        counter: `register:email:${normalizeMailbox(email)}`,
        max: maxMails,
        seconds: hour,
      }))
    )
      return
    await mail.send(code === undefined ? knownLetter(email, knownAs ?? 'local') : codeLetter(email, code))
    const owner = { account_sid: null, service_provider_sid: null }
    const thing = { action: 'create', kind: 'activation_code', sid: null, name: email } as const
    trail.note({ ...thing, caller: undefined, address, request_id, owner, reason: null })
  }
  const fromNetwork = (what: string, max: number) => (address: string) =>
    tryConsume(counters, { counter: `${what}:${toClientNetwork(address)}`, max, seconds: hour })
  return {
    mayRegister: fromNetwork('register:address', maxRegistrations),
    mayLink: fromNetwork('sign-in-links:address', maxRegistrations),
    mayConfirm: fromNetwork('confirm:address', maxConfirmations),
    mayTryCode: fromNetwork('invite:address', maxCodes),
    mayGuess: (email: string) =>
      tryConsume(counters, {
        counter: `confirm:mailbox:${normalizeMailbox(email)}`,
        max: maxGuessesPerHour,
        seconds: hour,
      }),
    sendSoon(letter: CodeMail): void {
      afterwards.begin('a mail to one who registers could not be sent', () => send(letter))
    },
  }
}
