import type { Account } from '@patchbay/contract/accounts'
import { useState } from 'react'
import { api } from '../../../api/client.ts'
import { config } from '../../../api/configuration.ts'
import { accountQuery } from '../../../api/record-queries.ts'
import { ConfirmAction } from '../../../feedback/confirm-action.tsx'
import { toaster } from '../../../feedback/toaster.ts'
import { useAction } from '../../../feedback/use-action.ts'
import { countCalls, EndCallsField, endCalls, useRunningCalls } from '../../../sections/live-calls/running-calls.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'

interface ActivationProps {
  account: Account
  onClose: () => void
}

const changeActivation = (account_sid: string, body: { is_active: boolean; deactivated_reason: string | null }) =>
  api('PUT /Accounts/:account_sid', { params: { account_sid }, body })

const toChanges = (account_sid: string) => [['accounts'], accountQuery(account_sid).queryKey, ['live-calls']] as const

/** Patchbay rejects users and keys of an inactive account. The API server of jambonz does not check it. */
const rejectsInactive = (): boolean => config().extensions.size > 0

/** Asks whether to deactivate an account, and says what stops then and what continues. */
export const DeactivateAccount = ({ account: { account_sid, name }, onClose }: ActivationProps) => {
  const [reason, setReason] = useState('')
  const [endsCalls, setEndsCalls] = useState(false)
  const running = useRunningCalls({ account_sid })
  const deactivate = useAction({
    run: async () => {
      await changeActivation(account_sid, { is_active: false, deactivated_reason: reason.trim() || null })
      if (!endsCalls) return { ended: 0, failed: 0 }
      // The account is inactive already, so this failure must not appear as that of the deactivation.
      return endCalls({ account_sid }).catch(() => undefined)
    },
    done: (result) => `Deactivated account ${name}${result?.ended ? `, and ended ${countCalls(result.ended)}` : ''}`,
    changes: toChanges(account_sid),
    after: (result) => {
      if (result === undefined) toaster.failure('The calls in progress could not be read, so none was ended.')
      else if (result.failed > 0)
        toaster.failure(`${countCalls(result.failed)} could not be ended. Live calls shows what is still in progress.`)
      onClose()
    },
  })
  return (
    <ConfirmAction
      action={deactivate}
      title="Deactivate account?"
      confirmLabel="Deactivate account"
      danger
      onCancel={onClose}
    >
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        can be activated again at any time. Until then:
      </p>
      <ul>
        {rejectsInactive() && (
          <>
            <li>Its users are signed out, and cannot sign in.</li>
            <li>Its API keys, the reports of its voice agents, and links to its shared calls are rejected.</li>
          </>
        )}
        <li>The SBC rejects its inbound calls with 503.</li>
      </ul>
      <p>What continues:</p>
      <ul>
        <li>
          {rejectsInactive()
            ? 'Calls that another API server of the platform starts, unless it rejects them.'
            : 'Its users and API keys, which this API server does not reject, and the calls that they start.'}
        </li>
        <li>{running.sentence}</li>
        <li>Its records, call data, and recordings are kept.</li>
      </ul>
      <EndCallsField count={running.count} checked={endsCalls} onCheck={setEndsCalls} />
      <TextField
        label="Reason"
        hint="Optional. It is stored with the account."
        value={reason}
        maxLength={255}
        onChange={({ target }) => setReason(target.value)}
      />
    </ConfirmAction>
  )
}

/** Asks whether to activate an account again. */
export const ActivateAccount = ({ account, onClose }: ActivationProps) => {
  const { account_sid, name, deactivated_reason } = account
  const activate = useAction({
    run: () => changeActivation(account_sid, { is_active: true, deactivated_reason: null }),
    done: () => `Activated account ${name}`,
    changes: toChanges(account_sid),
    after: onClose,
  })
  return (
    <ConfirmAction action={activate} title="Activate account?" confirmLabel="Activate account" onCancel={onClose}>
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        {rejectsInactive()
          ? 'can be used again: its users can sign in, its API keys work, and the SBC takes its calls.'
          : 'can be used again: the SBC takes its calls.'}
      </p>
      {deactivated_reason !== null && deactivated_reason !== '' && (
        <p>
          It was deactivated for this reason: <bdi>{deactivated_reason}</bdi>
        </p>
      )}
    </ConfirmAction>
  )
}
