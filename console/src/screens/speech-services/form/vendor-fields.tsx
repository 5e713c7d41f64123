import type {
  ChoiceField as ChoicePart,
  FileField,
  ModelField,
  Question,
  SecretField,
  TextField as TextPart,
  Vendor,
} from '@patchbay/contract/speech/descriptor'
import { speechCredentialLengths as lengths } from '@patchbay/contract/speech-credentials/record'
import { inSentence, parseFile, selectParts, unreadableFile } from '@patchbay/rules/speech/credential'
import { newDestination } from '@patchbay/rules/speech/destinations'
import { vendorName } from '@patchbay/rules/speech/names'
import { Fragment, useEffect } from 'react'
import { useController, useFormContext, useWatch } from 'react-hook-form'
import { toaster } from '../../../feedback/toaster.ts'
import { type ChoiceFieldProps, SearchableSelectField } from '../../../fields/searchable-select-field.tsx'
import { FilePicker } from '../../../form/file-picker.tsx'
import { useFieldErrors, useFields } from '../../../form/use-fields.ts'
import { useProviderSid } from '../../../session/current-provider.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { CheckboxField, SelectField, type SelectOption, TextArea } from '../../../ui/fields/field.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import { PasswordField } from '../../../ui/fields/password-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { formatJson } from '../../../ui/format/json.ts'
import { ValueBox } from '../../../ui/format/sid.tsx'
import { CustomVoices } from './custom-voices.tsx'
import { FormDraftTest } from './draft-test.tsx'
import { GenericFields } from './generic-fields.tsx'
import { useModels } from './models.ts'
import { canReplaceKeys, ReplaceButton } from './replace-button.tsx'
import { type SpeechValues, usesIn } from './speech-form.ts'
import { VendorOptions } from './vendor-options.tsx'

/** Renders the fields of a vendor from its descriptor. */

type Name = `members.${string}`

interface PartProps<Part> {
  part: Part
  /** True if the credential is stored. Locked fields are read-only then. */
  exists: boolean
}

const toFieldName = ({ name }: { name: string }): Name => `members.${name}`

/** Searchable select field that is bound to a form value. */
const FormSelect = ({ name, ...frame }: Omit<ChoiceFieldProps, 'name' | 'value' | 'onChange'> & { name: Name }) => {
  const { field, fieldState } = useController<SpeechValues, Name>({ name })
  return (
    <SearchableSelectField
      {...frame}
      {...field}
      value={typeof field.value === 'string' ? field.value : ''}
      error={fieldState.error?.message}
    />
  )
}

const toOptions = (options: ChoicePart['options']): SelectOption[] =>
  options.map(({ value, name }) => ({ value, label: name }))

const QuestionPart = ({ part, exists }: PartProps<Question>) => {
  const { register } = useFormContext<SpeechValues>()
  const disabled = exists && part.locked === true
  const frame = { label: part.label, hint: part.hint, disabled }
  return part.answers ? (
    <SelectField {...frame} options={toOptions(part.answers)} {...register(toFieldName(part))} />
  ) : (
    <CheckboxField {...frame} {...register(toFieldName(part))} />
  )
}

const Choice = ({ part, required, exists }: PartProps<ChoicePart> & { required: boolean }) => (
  <FormSelect
    label={part.label}
    name={toFieldName(part)}
    options={toOptions(part.options)}
    required={required}
    disabled={exists && part.locked === true}
    placeholder={
      part.start === undefined
        ? `Choose ${/^[aeiou]/i.test(part.label) ? 'an' : 'a'} ${inSentence(part.label)}`
        : undefined
    }
  />
)

/** Select field with the vendor's models, or a text field if the models could not be listed. */
const Model = ({ part, vendor, required }: { part: ModelField; vendor: Vendor; required: boolean }) => {
  const { control, setValue } = useFormContext<SpeechValues>()
  const field = useFields<SpeechValues>()
  const stored = useWatch({ control, name: toFieldName(part) })
  const models = useModels(vendor, part)
  const first = required && stored === '' ? models?.[0]?.value : undefined
  useEffect(() => {
    if (first !== undefined) setValue(`members.${part.name}`, first)
  }, [first, part.name, setValue])
  if (models === undefined) return null
  if (models.length === 0)
    return (
      <TextField
        label={part.label}
        required={required}
        mono
        maxLength={lengths.member}
        hint="The vendor’s models could not be loaded. Enter the name of a model."
        {...field(toFieldName(part))}
      />
    )
  const modelOptions = models.map(({ value, name }) => ({ value, label: name }))
  const isKnown = stored === '' || modelOptions.some(({ value }) => value === stored)
  return (
    <FormSelect
      label={part.label}
      name={toFieldName(part)}
      // A stored model stays selectable after the vendor has removed it from its list.
      options={isKnown ? modelOptions : [{ value: String(stored), label: String(stored) }, ...modelOptions]}
      required={required}
      disabled={false}
      placeholder={required ? 'Choose a model' : 'Vendor default'}
    />
  )
}

const Text = ({ part, required, exists }: PartProps<TextPart> & { required: boolean }) => {
  const field = useFields<SpeechValues>()
  return (
    <TextField
      label={part.label}
      hint={exists && part.locked && !canReplaceKeys() ? 'Can’t be changed after creation.' : part.hint}
      required={required}
      mono
      readOnly={exists && part.locked === true}
      placeholder={part.placeholder}
      maxLength={lengths.member}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      {...field(toFieldName(part))}
    />
  )
}

/** The external ID that the trust policy of an AWS role should require. */
const ExternalId = () => {
  const { control } = useFormContext<SpeechValues>()
  const account_sid = useWatch({ control, name: 'account_sid' })
  const service_provider_sid = useProviderSid()
  const value = account_sid || service_provider_sid
  return (
    <ValueBox
      label="External ID"
      hint="Require it in the trust policy of the role. Patchbay sends it with each request."
    >
      <code>{value}</code>
      <CopyButton value={value} label="Copy external ID" />
    </ValueBox>
  )
}

/** Returns the host to which the edited service moves, or undefined if the host is unchanged. */
const useNewHost = (vendor: Vendor, exists: boolean): string | undefined => {
  const { control, formState } = useFormContext<SpeechValues>()
  const members = useWatch({ control, name: 'members' })
  return exists ? newDestination(vendor, formState.defaultValues?.members ?? {}, members) : undefined
}

interface SecretProps extends PartProps<SecretField> {
  vendor: Vendor
  required: boolean
}

/** A stored secret is shown masked. It can only be entered again when the service moves to a new host. */
const Secret = ({ part, vendor, required, exists }: SecretProps) => {
  const { control, formState, setValue } = useFormContext<SpeechValues>()
  const field = useFields<SpeechValues>()
  const value = useWatch({ control, name: toFieldName(part) })
  const newHost = useNewHost(vendor, exists)
  const stored = String(formState.defaultValues?.members?.[part.name] ?? '')
  const isReentered = newHost !== undefined && stored !== ''
  useEffect(() => {
    if (exists) setValue(toFieldName(part), isReentered ? '' : stored)
  }, [exists, isReentered, part, stored, setValue])
  if (exists && !isReentered)
    return (
      <ValueBox
        label={part.label}
        hint={canReplaceKeys() ? undefined : 'To change it, delete the service and add it again.'}
      >
        {value ? <code>{String(value)}</code> : 'Not shown'}
      </ValueBox>
    )
  return (
    <PasswordField
      label={part.label}
      required={required || isReentered}
      {...(isReentered ? { hint: `Enter it again to send it to ${newHost}.` } : {})}
      maxLength={lengths.member}
      autoComplete="new-password"
      {...field(toFieldName(part))}
    />
  )
}

const File = ({ part, exists }: PartProps<FileField>) => {
  const { control, setValue } = useFormContext<SpeechValues>()
  const text = useWatch({ control, name: toFieldName(part) })
  const error = useFieldErrors<SpeechValues>()(toFieldName(part))
  const parsedKey = typeof text === 'string' ? parseFile(part, text) : undefined
  if (exists)
    return (
      <TextArea label={part.label} rows={8} mono readOnly value={parsedKey ? formatJson(parsedKey) : 'Not shown'} />
    )
  const take = async (file: globalThis.File) => {
    const content = file.size > lengths.member ? '' : await file.text()
    if (parseFile(part, content) === undefined) return toaster.failure(unreadableFile)
    setValue(toFieldName(part), content, { shouldDirty: true, shouldValidate: true })
  }
  const who: unknown =
    parsedKey && part.members.filter((member) => member !== part.masked).map((member) => parsedKey[member])[0]
  return (
    <FilePicker
      label={part.label}
      hint={part.hint}
      required
      error={error}
      accept="application/json,.json"
      none="No file chosen."
      chosen={
        parsedKey && (
          <>
            Key of <bdi>{String(who)}</bdi>, not saved yet
          </>
        )
      }
      onTake={(file) => void take(file)}
    />
  )
}

interface VendorFieldsProps {
  vendor: Vendor
  exists: boolean
  /** Set for a stored service. */
  speech_credential_sid?: string
}

/** Shows the vendor's fields that apply to the answers and uses selected so far. */
export const VendorFields = ({ vendor, exists, speech_credential_sid }: VendorFieldsProps) => {
  const { control } = useFormContext<SpeechValues>()
  const [use_for_tts, use_for_stt, members] = useWatch({ control, name: ['use_for_tts', 'use_for_stt', 'members'] })
  const uses = usesIn({ use_for_tts, use_for_stt })
  const { parts, required } = selectParts(vendor, members, uses)
  const { register } = useFormContext<SpeechValues>()
  const field = (part: (typeof parts)[number]) => {
    if (part.kind === 'derived') return null
    const frame = { exists, required: required.has(part.name) }
    switch (part.kind) {
      case 'question':
        return <QuestionPart part={part} exists={exists} />
      case 'choice':
        return <Choice part={part} {...frame} />
      case 'model':
        return <Model part={part} vendor={vendor} required={frame.required} />
      case 'flag':
        return <CheckboxField label={part.label} hint={part.hint} {...register(toFieldName(part))} />
      case 'secret':
        return <Secret part={part} vendor={vendor} {...frame} />
      case 'file':
        return <File part={part} exists={exists} />
      case 'options':
        return <VendorOptions part={part} />
      case 'text':
        return <Text part={part} {...frame} />
    }
  }
  if (vendor.generic && !exists) return <GenericFields />
  return (
    <FormSection
      title={vendorName(vendor.vendor)}
      description="Credentials and settings of the vendor."
      action={speech_credential_sid && <ReplaceButton vendor={vendor} speech_credential_sid={speech_credential_sid} />}
    >
      {parts
        .filter(({ kind }) => kind !== 'derived')
        .map((part) => (
          <Fragment key={`${part.kind} ${part.name}`}>
            <div>{field(part)}</div>
            {part.name === 'role_arn' && <ExternalId />}
          </Fragment>
        ))}
      {vendor.customVoices && use_for_tts && <CustomVoices />}
      {!vendor.generic && <FormDraftTest speech_credential_sid={speech_credential_sid} />}
    </FormSection>
  )
}
