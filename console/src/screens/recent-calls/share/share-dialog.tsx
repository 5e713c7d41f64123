import type { CreatedCallShare } from '@patchbay/contract/call-shares'
import { sharedCallPath } from '@patchbay/contract/shared/call-share-limits'
import { useState } from 'react'
import { api } from '../../../api/client.ts'
import { DialogForm } from '../../../feedback/form-dialog.tsx'
import { useAction } from '../../../feedback/use-action.ts'
import { formText } from '../../../form/use-form-submit.ts'
import { callSharesKey } from '../../../sections/call-shares/queries.ts'
import { requiredSession } from '../../../session/session.ts'
import { viewOnlyReason } from '../../../session/view-only.ts'
import { Button } from '../../../ui/button.tsx'
import { CheckboxField } from '../../../ui/fields/field.tsx'
import { Dialog } from '../../../ui/overlay/dialog.tsx'
import { LifetimeField, Links, NewLink, NoteField, type SharedCallParams } from './link-parts.tsx'
import styles from './share.module.css'

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
      <LifetimeField data-autofocus />
      {hasRecording && (
        <CheckboxField
          label="Include the recording"
          name="includes_recording"
          hint="What the transcript masks can be heard, unless your service provider mutes recordings."
        />
      )}
      <NoteField />
    </DialogForm>
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
          <NewLink link={link} path={sharedCallPath} />
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
