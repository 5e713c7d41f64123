import type { CreatedCallShare } from '@patchbay/contract/call-shares'
import { callShareLimits, sharedCallPath } from '@patchbay/contract/shared/call-share-limits'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../api/client.ts'
import { DialogForm } from '../../../feedback/form-dialog.tsx'
import { QueryFailed } from '../../../feedback/query-failed.tsx'
import { useAction } from '../../../feedback/use-action.ts'
import { formText } from '../../../form/use-form-submit.ts'
import { LinkList } from '../../../sections/call-shares/link-list.tsx'
import { callSharesKey, linksOfCallQuery } from '../../../sections/call-shares/queries.ts'
import { requiredSession } from '../../../session/session.ts'
import { viewOnlyReason } from '../../../session/view-only.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { CheckboxField, SelectField } from '../../../ui/fields/field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { ValueBox } from '../../../ui/format/sid.tsx'
import { DateTime } from '../../../ui/format/time.tsx'
import { Dialog } from '../../../ui/overlay/dialog.tsx'
import styles from './share.module.css'

const lifetimes = [
  { value: '24', label: '1 day' },
  { value: '168', label: '7 days' },
  { value: '720', label: '30 days' },
]

/** Shows a new link, whose token cannot be read again. */
const NewLink = ({ link: { token, expires_at } }: { link: CreatedCallShare }) => {
  const url = `${window.location.origin}${sharedCallPath}#${token}`
  return (
    <div role="status">
      <ValueBox
        label="New link"
        hint={
          <>
            Copy the link now. It is not shown again. It expires <DateTime iso={expires_at} />.
          </>
        }
      >
        <code className={styles['url']}>{url}</code>
        <CopyButton value={url} label="Copy the link" displayText="Link" />
      </ValueBox>
    </div>
  )
}

interface SharedCallParams {
  account_sid: string
  call_sid: string
}

interface ShareFormProps extends SharedCallParams {
  hasRecording: boolean
  onCreated: (link: CreatedCallShare) => void
  onCancel: () => void
}

const ShareForm = ({ account_sid, call_sid, hasRecording, onCreated, onCancel }: ShareFormProps) => {
  const params = { account_sid, call_sid }
  const create = useAction({
    run: (body: { expires_in_hours: string; includes_recording: boolean; note: string | null }) =>
      api('POST /patchbay/Accounts/:account_sid/Calls/:call_sid/Shares', { params, body }),
    changes: [callSharesKey(account_sid)],
    after: onCreated,
    quiet: true,
  })
  const submit = (form: HTMLFormElement) => {
    create.mutate({
      expires_in_hours: formText(form, 'expires_in_hours'),
      includes_recording: new FormData(form).has('includes_recording'),
      note: formText(form, 'note').trim() || null,
    })
  }
  return (
    <DialogForm label="New link" submitLabel="Create link" action={create} onSubmit={submit} onCancel={onCancel}>
      <SelectField
        label="Expires after"
        name="expires_in_hours"
        data-autofocus
        options={lifetimes}
        defaultValue="168"
        hint="The link also ends when you lose access to the account."
      />
      {hasRecording && (
        <CheckboxField
          label="Include the recording"
          name="includes_recording"
          hint="What the transcript masks can be heard, unless your service provider mutes recordings."
        />
      )}
      <TextField
        label="Note"
        name="note"
        maxLength={callShareLimits.note}
        hint="Optional, such as who gets the link. Not shown to viewers."
      />
    </DialogForm>
  )
}

const Links = (params: SharedCallParams) => {
  const { data, error, refetch } = useQuery(linksOfCallQuery(params))
  if (data === undefined) return error && <QueryFailed error={error} onRetry={() => void refetch()} />
  return (
    <section aria-label="Links to this call">
      <h3 className={styles['title']}>Links to this call</h3>
      {data.length === 0 ? (
        <p className="note">No links. Expired and revoked links are in the audit trail only.</p>
      ) : (
        <LinkList label="Links to this call" account_sid={params.account_sid} links={data} />
      )}
    </section>
  )
}

interface ShareDialogProps extends SharedCallParams {
  hasRecording: boolean
  onClose: () => void
}

/** Creates, lists, and revokes the links to a call. */
export const ShareDialog = ({ account_sid, call_sid, hasRecording, onClose }: ShareDialogProps) => {
  const params = { account_sid, call_sid }
  const [link, setLink] = useState<CreatedCallShare>()
  const readOnlyReason = viewOnlyReason(requiredSession().actor)
  return (
    <Dialog
      title="Share call"
      size="medium"
      onClose={onClose}
      footer={
        link || readOnlyReason ? (
          <>
            {link && <Button onClick={() => setLink(undefined)}>Create another link</Button>}
            <Button variant="primary" onClick={onClose}>
              Close
            </Button>
          </>
        ) : undefined
      }
    >
      <div className={styles['share']}>
        <p className="note">
          {readOnlyReason ??
            'Everyone with the link can read this conversation without signing in, until it expires or you revoke it.'}
        </p>
        {link ? (
          <NewLink link={link} />
        ) : (
          !readOnlyReason && (
            <ShareForm {...params} hasRecording={hasRecording} onCreated={setLink} onCancel={onClose} />
          )
        )}
        <Links {...params} />
      </div>
    </Dialog>
  )
}
