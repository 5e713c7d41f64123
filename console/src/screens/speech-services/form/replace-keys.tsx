import type { FileField, Vendor } from '@patchbay/contract/speech/descriptor'
import { speechCredentialLengths as lengths } from '@patchbay/contract/speech-credentials/record'
import {
  inSentence,
  type KeyField,
  keyFields,
  parseFile,
  selectParts,
  unreadableFile,
} from '@patchbay/rules/speech/credential'
import { useState } from 'react'
import { ApiError } from '../../../api/api-error.ts'
import { api } from '../../../api/client.ts'
import { useAction } from '../../../feedback/use-action.ts'
import { FilePicker } from '../../../form/file-picker.tsx'
import { FormDialog } from '../../../form/form-dialog.tsx'
import { PasswordField } from '../../../ui/fields/password-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { canTestDrafts, DraftTest } from './draft-test.tsx'
import { type SpeechValues, usesIn } from './speech-form.ts'

interface ReplaceKeysProps {
  speech_credential_sid: string
  vendor: Vendor
  /** The stored values, which decide what the vendor needs. Secrets are masked. */
  stored: SpeechValues
  onClose: () => void
}

/** Returns the keys that the service has or needs. */
const relevantFields = (vendor: Vendor, stored: SpeechValues): KeyField[] => {
  const { parts } = selectParts(vendor, stored.members, usesIn(stored))
  const selected = new Set(parts.map(({ name }) => name))
  return keyFields(vendor).filter(({ name }) => selected.has(name) || Boolean(stored.members[name]))
}

const isFile = (field: KeyField): field is FileField => field.kind === 'file'

/** Dialog that replaces the keys of a speech service. Fields that stay empty keep their stored key. */
export const ReplaceKeys = ({ speech_credential_sid, vendor, stored, onClose }: ReplaceKeysProps) => {
  const fields = relevantFields(vendor, stored)
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [error, setError] = useState<string>()
  const replace = useAction({
    run: (keys: Readonly<Record<string, string>>) =>
      api('PUT /patchbay/speech-credentials/:speech_credential_sid/keys', {
        params: { speech_credential_sid },
        body: { keys },
      }),
    done: () => 'The key was replaced. Test the service to check it.',
    changes: [['speech']],
    after: onClose,
  })
  const failure = replace.error instanceof ApiError ? replace.error : undefined
  const failedField = fields.find(({ name }) => failure?.field?.endsWith(name))
  const findError = ({ name }: KeyField): string | undefined =>
    name === failedField?.name ? failure?.message : name === fields[0]?.name ? error : undefined
  const set = (name: string, value: string) => {
    setError(undefined)
    setTyped((before) => ({ ...before, [name]: value }))
  }
  const keys = Object.fromEntries(Object.entries(typed).filter(([, value]) => value.trim() !== ''))
  const hasKey = (): boolean => {
    if (Object.keys(keys).length > 0) return true
    setError(`Enter the new ${inSentence(fields[0]?.label ?? 'key')}`)
    return false
  }
  const takeFile = async (field: FileField, file: File) => {
    const content = file.size > lengths.member ? '' : await file.text()
    if (parseFile(field, content) === undefined) return setError(unreadableFile)
    set(field.name, content)
  }
  const toField = (field: KeyField, at: number) => {
    const { name, label } = field
    const frame = { label: `New ${inSentence(label)}`, error: findError(field) }
    if (isFile(field))
      return (
        <FilePicker
          {...frame}
          key={name}
          hint={field.hint}
          accept="application/json,.json"
          none="No file chosen."
          chosen={typed[name] === undefined ? undefined : 'A key file is chosen, not saved yet.'}
          onTake={(file) => void takeFile(field, file)}
        />
      )
    const input = {
      ...frame,
      name,
      hint: fields.length > 1 && !vendor.generic ? 'Leave it empty to keep the stored one.' : undefined,
      maxLength: lengths.member,
      value: typed[name] ?? '',
      onChange: ({ target }: { target: { value: string } }) => set(name, target.value),
      ...(at === 0 ? { 'data-autofocus': true } : {}),
    }
    return field.kind === 'secret' ? (
      <PasswordField key={name} {...input} autoComplete="new-password" />
    ) : (
      <TextField key={name} {...input} mono autoComplete="off" autoCapitalize="none" spellCheck={false} />
    )
  }
  return (
    <FormDialog
      title="Replace key"
      submitLabel="Replace key"
      action={replace}
      error={failedField === undefined ? replace.error : null}
      readInput={() => (hasKey() ? keys : undefined)}
      onClose={onClose}
    >
      {fields.map(toField)}
      {canTestDrafts() && !vendor.generic && (
        <DraftTest
          label="Test the new key"
          draft={keys}
          uses={usesIn(stored)}
          check={() => Promise.resolve(hasKey())}
          run={(tested) =>
            api('POST /patchbay/speech-credentials/:speech_credential_sid/test', {
              params: { speech_credential_sid },
              body: { keys: tested },
            })
          }
        />
      )}
      <p className="note">New calls use the new key. All other settings stay as they are.</p>
    </FormDialog>
  )
}
