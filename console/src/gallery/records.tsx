import { onlineManager } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { OfflineNotice } from '../app/offline-notice.tsx'
import { RecordForm } from '../form/record-form.tsx'
import { type SaveOptions, useRecordForm } from '../form/use-record-form.tsx'
import { RecordHeader } from '../record/record-header.tsx'
import { defineScreen } from '../routes/define-screen.ts'
import { StateBadge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { FormSection } from '../ui/fields/form-frame.tsx'
import { TextField } from '../ui/fields/text-field.tsx'
import { requiredText, z } from '../zod.ts'
import { carriers, minutesAgo } from './fixtures.ts'
import styles from './gallery.module.css'
import { Part } from './section.tsx'

const editCarrier = defineScreen({ path: '/carrier', title: 'Edit carrier' })

const trunk = z.object({ prefix: requiredText(32, 'Enter a prefix'), trunk: z.string() })
const stored = { prefix: '+44', trunk: 'north' }
const record = { prefix: '+49', trunk: 'south' }

/** Rejects the first save, because another user has changed the record. */
const saveTrunk = async (_values: object, _before: object, { base }: SaveOptions) => {
  if (base !== record) throw new ApiError('rejected', 412, 'The record has been changed', { answer: { record } })
}

const TrunkForm = () => {
  const state = useRecordForm({
    schema: trunk,
    stored,
    versioned: { record: stored, toValues: (values: typeof stored) => values },
    save: saveTrunk,
  })
  const { register } = state.form
  return (
    <RecordForm label="Trunk" state={state}>
      <FormSection title="Trunk" description="Another user changes both fields while you edit them.">
        <TextField
          label="Prefix"
          required
          {...register('prefix')}
          error={state.form.formState.errors.prefix?.message}
        />
        <TextField label="Trunk group" {...register('trunk')} />
        <Button onClick={() => state.form.reset()}>Start again</Button>
      </FormSection>
    </RecordForm>
  )
}

/** A record with its header, a form with a conflicting change of another user, and the notice for a missing network. */
export const Records = () => {
  const [online, setOnline] = useState(true)
  const goOnline = (next: boolean) => {
    onlineManager.setOnline(next)
    setOnline(next)
  }
  return (
    <Part title="Record">
      <div className={styles.line}>
        <Button onClick={() => goOnline(!online)}>{online ? 'Go offline' : 'Go online'}</Button>
      </div>
      <OfflineNotice />
      <RecordHeader
        screen={editCarrier}
        name="Nordlicht SIP"
        sid={carriers[0]?.sid ?? ''}
        badge={<StateBadge tone="good">Registered</StateBadge>}
        createdAt={minutesAgo(90_000)}
        actions={<Button>Delete</Button>}
      />
      <TrunkForm />
    </Part>
  )
}
