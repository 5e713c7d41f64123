import type { ConversationLimits } from '@patchbay/contract/conversation-limits'
import { limitRanges } from '@patchbay/contract/conversations/figures'
import { api } from '../../api/client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { useAction } from '../../feedback/use-action.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useFormErrors } from '../../form/use-form-errors.ts'
import { formText } from '../../form/use-form-submit.ts'
import { TextField } from '../../ui/fields/text-field.tsx'
import { limitsKey } from './queries.ts'

type Member = keyof typeof limitRanges

interface LimitField {
  member: Member
  label: string
  unit: string
  hint?: string
}

const fields: readonly LimitField[] = [
  { member: 'gap_p95_ms', label: 'Response gap, 95th percentile', unit: 'ms' },
  { member: 'interrupted_percent', label: 'Turns of the agent that the other party interrupts', unit: '%' },
  { member: 'talked_over_percent', label: 'Turns of the other party that the agent interrupts', unit: '%' },
  { member: 'failed_percent', label: 'Conversations with an error', unit: '%' },
  {
    member: 'minutes',
    label: 'Period',
    unit: 'minutes',
    hint: 'Conversations that have ended in this time are compared with the limits.',
  },
  { member: 'min_conversations', label: 'Smallest number of conversations', unit: 'conversations' },
]

const isRequired = (member: Member): boolean => member === 'minutes' || member === 'min_conversations'

/** Returns the number in a field, null if it is empty, or the message of an error. */
const parseField = (member: Member, text: string): number | null | string => {
  if (text === '' && !isRequired(member)) return null
  const [min, max] = limitRanges[member]
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? value : `Enter a whole number from ${min} to ${max}`
}

interface LimitsDialogProps {
  owner: OwnerSid
  limits: ConversationLimits
  onClose: () => void
}

/** Returns the value of each field, or the message for an invalid one. */
const parseFields = (form: HTMLFormElement) =>
  fields.map(({ member }) => [member, parseField(member, formText(form, member).trim())] as const)

const isInvalid = ([, value]: readonly [Member, unknown]): boolean => typeof value === 'string'

/** Changes the limits of the conversations of an account or a provider. */
export const LimitsDialog = ({ owner, limits, onClose }: LimitsDialogProps) => {
  const { errors, findErrors, onChange } = useFormErrors(
    (form) => Object.fromEntries(parseFields(form).filter(isInvalid)) as Partial<Record<Member, string>>,
  )
  const save = useAction({
    run: (body: Record<string, number | null>) =>
      owner.account_sid === undefined
        ? api('PUT /patchbay/service-providers/:service_provider_sid/conversation-limits', { params: owner, body })
        : api('PUT /patchbay/accounts/:account_sid/conversation-limits', { params: owner, body }),
    done: () => 'Limits saved',
    changes: [limitsKey(owner)],
    after: onClose,
    quiet: true,
  })
  const readLimits = (form: HTMLFormElement): Record<string, number | null> | undefined => {
    const parsed = parseFields(form)
    const [first] = parsed.filter(isInvalid)
    findErrors(form)
    if (first === undefined) return Object.fromEntries(parsed) as Record<string, number | null>
    form.querySelector<HTMLInputElement>(`[name="${first[0]}"]`)?.focus()
    return undefined
  }
  return (
    <FormDialog
      title="Limits"
      submitLabel="Save limits"
      action={save}
      readInput={readLimits}
      onChange={onChange}
      onClose={onClose}
    >
      <p className="note">
        When conversations exceed a limit, an alert is raised and sent to the alert destinations. Leave a field empty
        for no limit.
      </p>
      {fields.map(({ member, label, unit, hint }) => (
        <TextField
          key={member}
          name={member}
          label={label}
          inputMode="numeric"
          required={isRequired(member)}
          defaultValue={limits[member] ?? ''}
          after={unit}
          hint={hint}
          error={errors[member]}
        />
      ))}
    </FormDialog>
  )
}
