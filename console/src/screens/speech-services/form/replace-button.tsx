import type { Vendor } from '@patchbay/contract/speech/descriptor'
import { keyFields } from '@patchbay/rules/speech/credential'
import { use, useState } from 'react'
import { useFormContext } from 'react-hook-form'
import { config } from '../../../api/configuration.ts'
import { lazyDialog } from '../../../lazy/lazy-dialog.tsx'
import { Button } from '../../../ui/button.tsx'
import { ReadOnlyFields } from '../../../ui/fields/field-frame.tsx'
import type { SpeechValues } from './speech-form.ts'

const ReplaceKeys = lazyDialog('replace-keys', async () => (await import('./replace-keys.tsx')).ReplaceKeys)

/** The platform's own API server never changes keys. */
export const canReplaceKeys = (): boolean => config().extensions.has('speech-keys')

/** Button that opens the dialog for new keys, because the stored ones are read-only in the form. */
export const ReplaceButton = ({ vendor, speech_credential_sid }: { vendor: Vendor; speech_credential_sid: string }) => {
  const { formState } = useFormContext<SpeechValues>()
  const [isOpen, setOpen] = useState(false)
  if (use(ReadOnlyFields) || !canReplaceKeys() || keyFields(vendor).length === 0) return null
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        Replace key
      </Button>
      {isOpen && (
        <ReplaceKeys
          speech_credential_sid={speech_credential_sid}
          vendor={vendor}
          // The default values of the form are the stored ones.
          stored={formState.defaultValues as SpeechValues}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
