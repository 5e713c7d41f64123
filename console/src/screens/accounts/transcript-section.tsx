import type { Account } from '@patchbay/contract/accounts'
import { can } from '@patchbay/contract/api/access'
import type { TranscriptAccess } from '@patchbay/contract/conversation-search'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { conversationSearch } from '../../routes/conversation-search.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { requiredSession } from '../../session/session.ts'
import { SelectField } from '../../ui/fields/field.tsx'
import { FieldRow, FormSection } from '../../ui/fields/form-frame.tsx'

const options: readonly { value: TranscriptAccess; label: string }[] = [
  { value: 'editors', label: 'Users who can make changes' },
  { value: 'everyone', label: 'All users, including view-only users' },
  { value: 'off', label: 'Off: no text is stored for the search' },
]

const transcriptSettingsQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['transcript-settings', account_sid],
    queryFn: (context) =>
      api(
        'GET /patchbay/Accounts/:account_sid/TranscriptSettings',
        { params: { account_sid } },
        queryCallOptions(context),
      ),
  })

/** The setting that says who can search in the transcripts of the account. It is saved when it is chosen. */
export const TranscriptSection = ({ account }: { account: Account }): ReactNode => {
  const { account_sid } = account
  const settings = useQuery(transcriptSettingsQuery(account_sid))
  const [isAsking, setIsAsking] = useState(false)
  const save = (access: TranscriptAccess) =>
    api('PUT /patchbay/Accounts/:account_sid/TranscriptSettings', { params: { account_sid }, body: { access } })
  const changes = [['transcript-settings', account_sid], ['conversation-search']]
  const change = useAction({ run: save, done: () => 'Conversation search updated', changes })
  const turnOff = useAction({
    run: () => save('off'),
    done: () => 'Conversation search turned off',
    changes,
    after: () => setIsAsking(false),
    quiet: true,
  })
  if (settings.data === undefined) return <FormLoading queries={[settings]} sections={1} />
  const choose = (value: string) => {
    const access = options.find((option) => option.value === value)?.value
    if (access === 'off') setIsAsking(true)
    else if (access !== undefined) change.mutate(access)
  }
  return (
    <FormSection
      title="Conversation search"
      description="Finds calls by what was said. A transcript of each call is stored for it, as long as the call record."
    >
      <FieldRow>
        <SelectField
          label="Access to the search"
          hint="This does not limit who can read the conversation of a call."
          value={(change.isPending ? change.variables : undefined) ?? settings.data.access}
          options={options}
          disabled={change.isPending || !can(requiredSession().actor, 'write', account)}
          onChange={({ target }) => choose(target.value)}
        />
      </FieldRow>
      {settings.data.access !== 'off' && (
        <p>
          <ScreenLink to={conversationSearch} search={{ account: account_sid }}>
            Search in conversations
          </ScreenLink>
        </p>
      )}
      {isAsking && (
        <ConfirmAction
          action={turnOff}
          title="Turn off conversation search?"
          confirmLabel="Turn off and delete text"
          danger
          onCancel={() => setIsAsking(false)}
        >
          <p>
            The searchable text of all calls of this account is deleted. If you turn the search on again, it finds new
            calls only. Traces, recordings, and conversations of calls are not deleted.
          </p>
        </ConfirmAction>
      )}
    </FormSection>
  )
}
