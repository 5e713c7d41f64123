import type { Account } from '@patchbay/contract/accounts'
import { isOver } from '@patchbay/contract/shared/call-changes'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { errorMessage } from '../../../api/api-error.ts'
import { api } from '../../../api/client.ts'
import { config } from '../../../api/configuration.ts'
import { queryClient } from '../../../api/query-client.ts'
import { accountQuery } from '../../../api/record-queries.ts'
import { ConfirmAction } from '../../../feedback/confirm-action.tsx'
import { toaster } from '../../../feedback/toaster.ts'
import { useAction } from '../../../feedback/use-action.ts'
import { endCall } from '../../../sections/live-calls/end-call.ts'
import { hasLiveCalls, liveCallsQuery } from '../../../sections/live-calls/live-calls-query.ts'
import { CheckboxField } from '../../../ui/fields/field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { countText } from '../../../ui/format/text.ts'

interface ActivationProps {
  account: Account
  onClose: () => void
}

const changeActivation = (account_sid: string, body: { is_active: boolean; deactivated_reason: string | null }) =>
  api('PUT /Accounts/:account_sid', { params: { account_sid }, body })

const toChanges = (account_sid: string) => [['accounts'], accountQuery(account_sid).queryKey, ['live-calls']] as const

/** Patchbay rejects users and keys of an inactive account. The API server of jambonz does not check it. */
const rejectsInactive = (): boolean => config().extensions.size > 0

const countCalls = (count: number): string => countText(count, count, ['call', 'calls'])

/**
 * Ends the calls of an account that are in progress, one after another, because the platform confirms each at once.
 * Returns how many were ended, and how many could not be.
 */
const endCalls = async (account_sid: string): Promise<{ ended: number; failed: number }> => {
  const { calls } = await queryClient.fetchQuery({ ...liveCallsQuery({ account_sid }), staleTime: 0 })
  const running = calls.filter(({ call_status }) => !isOver(call_status))
  const results = { ended: 0, failed: 0 }
  for (const { call_sid, call_status } of running)
    try {
      await endCall({ account_sid, call_sid, call_status })
      results.ended += 1
    } catch {
      results.failed += 1
    }
  return results
}

/** The calls of an account that are in progress, as a sentence, and their number if it is known. */
const useRunningCalls = (account_sid: string): { sentence: string; count: number } => {
  const { data, error } = useQuery({ ...liveCallsQuery({ account_sid }), enabled: hasLiveCalls(), retryOnMount: true })
  if (!hasLiveCalls()) return { sentence: 'Calls in progress, which are not known here without Redis.', count: 0 }
  if (data === undefined)
    return {
      sentence: error
        ? `Calls in progress, which could not be counted: ${errorMessage(error)}.`
        : 'Calls in progress, which are being counted…',
      count: 0,
    }
  const count = data.calls.filter(({ call_status }) => !isOver(call_status)).length
  return { sentence: count === 0 ? 'No call is in progress.' : `${countCalls(count)} in progress.`, count }
}

/** Asks whether an account becomes inactive, with what stops then and what goes on. */
export const DeactivateAccount = ({ account: { account_sid, name }, onClose }: ActivationProps) => {
  const [reason, setReason] = useState('')
  const [endsCalls, setEndsCalls] = useState(false)
  const running = useRunningCalls(account_sid)
  const deactivate = useAction({
    run: async () => {
      await changeActivation(account_sid, { is_active: false, deactivated_reason: reason.trim() || null })
      return endsCalls ? endCalls(account_sid) : { ended: 0, failed: 0 }
    },
    done: ({ ended }) => `Deactivated account ${name}${ended > 0 ? `, and ended ${countCalls(ended)}` : ''}`,
    changes: toChanges(account_sid),
    after: ({ failed }) => {
      if (failed > 0) toaster.failure(`${countCalls(failed)} could not be ended. They are in the live calls.`)
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
      <p>What goes on:</p>
      <ul>
        <li>
          {rejectsInactive()
            ? 'Calls that another API server of the platform starts, unless it rejects them.'
            : 'Its users and API keys, which this API server does not reject, and the calls that they start.'}
        </li>
        <li>{running.sentence}</li>
        <li>Its records, call data, and recordings are kept.</li>
      </ul>
      {running.count > 0 && (
        <CheckboxField
          label={`End the ${countCalls(running.count)} in progress`}
          checked={endsCalls}
          onChange={({ target }) => setEndsCalls(target.checked)}
        />
      )}
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

/** Asks whether an account is activated again. */
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
