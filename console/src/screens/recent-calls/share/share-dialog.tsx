import { sharedCallPath } from '@patchbay/contract/shared/call-share-limits'
import { useState } from 'react'
import { requiredSession } from '../../../session/session.ts'
import { viewOnlyReason } from '../../../session/view-only.ts'
import { CheckboxField } from '../../../ui/fields/field.tsx'
import { type CreatedLink, LinkDialog, LinkForm, Links, NewLink, type SharedCallParams } from './link-parts.tsx'

interface ShareDialogProps extends SharedCallParams {
  hasRecording: boolean
  onClose: () => void
}

/** Creates, lists, and revokes the links to a call. */
export const ShareDialog = ({ account_sid, call_sid, hasRecording, onClose }: ShareDialogProps) => {
  const params = { account_sid, call_sid }
  const [link, setLink] = useState<CreatedLink>()
  const readOnlyReason = viewOnlyReason(requiredSession().actor)
  const hasForm = link === undefined && readOnlyReason === undefined
  return (
    <LinkDialog title="Share call" link={link} hasForm={hasForm} onAnother={() => setLink(undefined)} onClose={onClose}>
      <p className="note">
        {readOnlyReason ??
          'Everyone with the link can read this conversation without signing in, until it expires or you revoke it.'}
      </p>
      {link && <NewLink link={link} />}
      {hasForm && (
        <LinkForm
          {...params}
          path={sharedCallPath}
          isFirst
          getContent={(form) => ({ includes_recording: form.has('includes_recording') })}
          onCreated={setLink}
          onCancel={onClose}
        >
          {hasRecording && (
            <CheckboxField
              label="Include the recording"
              name="includes_recording"
              hint="What the transcript masks can be heard, unless your service provider mutes recordings."
            />
          )}
        </LinkForm>
      )}
      <Links {...params} />
    </LinkDialog>
  )
}
