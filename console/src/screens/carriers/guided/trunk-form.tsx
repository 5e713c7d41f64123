import { isAtLeast } from '@patchbay/contract/api/access'
import { voipCarrierLengths as lengths } from '@patchbay/contract/voip-carriers/record'
import { useEffect, useRef, useState } from 'react'
import { useFormContext } from 'react-hook-form'
import { useAction } from '../../../feedback/use-action.ts'
import { AccountField } from '../../../fields/account-field.tsx'
import { RecordForm } from '../../../form/record-form.tsx'
import { keepDraft } from '../../../form/session-draft.ts'
import { StoredSecretField } from '../../../form/stored-secret-field.tsx'
import { useFields, useSelection } from '../../../form/use-fields.ts'
import { useRecordForm } from '../../../form/use-record-form.tsx'
import { addCarrier, carrierList, connectCarrier } from '../../../routes/carriers.ts'
import { ScreenLink, useNavigateTo } from '../../../screen/links.tsx'
import { requiredSession } from '../../../session/session.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { FieldRow, FormSection } from '../../../ui/fields/form-frame.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { type CarrierValues, carrierFieldErrors } from '../form/carrier-form.ts'
import { useCreateCarrier } from '../form/use-create-carrier.ts'
import { CarrierSide } from './carrier-side.tsx'
import styles from './guided.module.css'
import { TrunkGateways } from './trunk-gateways.tsx'
import { type TrunkKind, trunkTitles } from './trunk-kinds.ts'
import { carryOver, emptyTrunk, trunkSchemas } from './trunk-values.ts'

const NameSection = ({ kind, service_provider_sid }: { kind: TrunkKind; service_provider_sid: string }) => {
  const field = useFields<CarrierValues>()
  const account = useSelection<CarrierValues>('account_sid')
  return (
    <FormSection title={trunkTitles[kind]}>
      <TextField
        label="Carrier name"
        required
        maxLength={lengths.name}
        autoComplete="off"
        placeholder="Acme Telecom"
        {...field('name')}
      />
      {isAtLeast(requiredSession().actor.scope, 'service_provider') && (
        <AccountField {...account} label="Used by" all="All accounts" service_provider_sid={service_provider_sid} />
      )}
    </FormSection>
  )
}

const CredentialsSection = ({ kind }: { kind: TrunkKind }) => {
  const field = useFields<CarrierValues>()
  const { setValue, getValues } = useFormContext<CarrierValues>()
  return (
    <FormSection
      title="Credentials"
      description={
        kind === 'auth'
          ? 'The carrier asks for them on each call.'
          : 'Your SBCs register with them, and use them for calls.'
      }
    >
      {kind === 'registration' && (
        <TextField
          label="SIP realm"
          required
          hint="The domain that the carrier gave you, for example sip.example.com."
          maxLength={lengths.register_sip_realm}
          autoComplete="off"
          spellCheck={false}
          mono
          {...field('register_sip_realm', {
            onBlur: () => {
              // Most carriers receive calls at their realm, so the first gateway starts with it.
              if (getValues('sip_gateways.0.ipv4') === '')
                setValue('sip_gateways.0.ipv4', getValues('register_sip_realm').trim(), { shouldDirty: true })
            },
          })}
        />
      )}
      <FieldRow>
        <TextField
          label="Auth username"
          required
          maxLength={lengths.register_username}
          autoComplete="off"
          spellCheck={false}
          {...field('register_username')}
        />
        <StoredSecretField label="Password" name="register_password" required stored="" />
      </FieldRow>
    </FormSection>
  )
}

interface TrunkFormProps {
  kind: TrunkKind
  service_provider_sid: string
  account_sid: string
  /** Values that the user typed for another kind of trunk. */
  typed: CarrierValues | undefined
  /** Receives what the user has typed when the form closes, and undefined after a save. */
  onClose: (typed: CarrierValues | undefined) => void
}

/** The second step: what the kind of trunk needs. Saving creates the carrier with its gateways in one request. */
export const TrunkForm = ({ kind, service_provider_sid, account_sid, typed, onClose }: TrunkFormProps) => {
  const go = useNavigateTo()
  const isSaved = useRef(false)
  const [carried] = useState(typed)
  const [start] = useState(() => emptyTrunk(kind, account_sid))
  const { create, check } = useCreateCarrier(service_provider_sid)
  const { mutateAsync } = useAction({
    run: (values: CarrierValues) => create(values, state.form),
    done: () => 'Carrier created successfully',
    changes: [['carriers']],
  })
  const state = useRecordForm<CarrierValues>({
    schema: trunkSchemas[kind],
    stored: start,
    check,
    toFieldErrors: carrierFieldErrors,
    save: async (values) => {
      const carrier = await mutateAsync(values)
      isSaved.current = true
      onClose(undefined)
      await go({ to: connectCarrier, search: { carrier }, replace: true, ignoreBlocker: true })
    },
  })
  const { form } = state
  useEffect(() => {
    if (carried) form.reset(carryOver(carried, kind), { keepDefaultValues: true })
    return () => {
      if (form.formState.isDirty && !isSaved.current) onClose(form.getValues())
    }
  }, [form, kind, carried, onClose])

  const openAllSettings = async () => {
    keepDraft(requiredSession().claims.user_sid, form.getValues(), addCarrier.path)
    await go({ to: addCarrier, ignoreBlocker: true })
  }
  return (
    <RecordForm label="Connect a carrier" state={state} list={carrierList}>
      <div className={styles['links']}>
        <ScreenLink to={connectCarrier} search={{}} className={buttonClass('secondary')}>
          Change type
        </ScreenLink>
        <Button onClick={() => void openAllSettings()}>All settings</Button>
      </div>
      <NameSection kind={kind} service_provider_sid={service_provider_sid} />
      {kind !== 'ip' && <CredentialsSection kind={kind} />}
      <TrunkGateways kind={kind} service_provider_sid={service_provider_sid} />
      <CarrierSide kind={kind} service_provider_sid={service_provider_sid} />
    </RecordForm>
  )
}
