import { isAtLeast } from '@patchbay/contract/api/access'
import { voipCarrierLengths as lengths } from '@patchbay/contract/voip-carriers/record'
import { useFormContext, useWatch } from 'react-hook-form'
import { config } from '../../../api/configuration.ts'
import { AccountField } from '../../../fields/account-field.tsx'
import { ApplicationField } from '../../../fields/application-field.tsx'
import { StoredSecretField } from '../../../form/stored-secret-field.tsx'
import { useFields, useSelection } from '../../../form/use-fields.ts'
import { dtmfOptions } from '../../../record/dtmf-options.ts'
import { requiredSession } from '../../../session/session.ts'
import { CheckboxField, SelectField } from '../../../ui/fields/field.tsx'
import { FieldRow, FormSection } from '../../../ui/fields/form-frame.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import type { CarrierValues } from './carrier-form.ts'
import { SipGateways } from './sip-gateways.tsx'

const UseSection = ({ service_provider_sid }: { service_provider_sid: string }) => {
  const { register, setValue } = useFormContext<CarrierValues>()
  const { actor } = requiredSession()
  const account = useSelection<CarrierValues>('account_sid')
  const application = useSelection<CarrierValues>('application_sid')
  const dtmf = useWatch<CarrierValues, 'dtmf_type'>({ name: 'dtmf_type' })
  const account_sid = account.value
  const choosesApplication =
    account_sid !== '' && (actor.scope === 'admin' || !config().switches.has('no-default-trunk-routing'))
  return (
    <FormSection title="Use" description="Accounts that can use the carrier, and formats of numbers and DTMF tones.">
      <FieldRow>
        {isAtLeast(actor.scope, 'service_provider') && (
          <AccountField
            {...account}
            label="Used by"
            all="All accounts"
            service_provider_sid={service_provider_sid}
            onChange={(sid) => {
              account.onChange(sid)
              // An application belongs to one account.
              setValue('application_sid', '', { shouldDirty: true })
            }}
          />
        )}
        <SelectField
          label="DTMF type"
          hint="Leave it at RFC 2833 unless the carrier does not support it."
          options={dtmfOptions(dtmf)}
          {...register('dtmf_type')}
        />
      </FieldRow>
      {choosesApplication && (
        <FieldRow>
          <ApplicationField
            {...application}
            owner={{ account_sid }}
            label="Default application"
            hint="Handles calls to numbers without an application."
          />
        </FieldRow>
      )}
      <CheckboxField
        label="E.164 syntax"
        hint="Prepend a leading + to the numbers of outbound calls."
        {...register('e164_leading_plus')}
      />
    </FormSection>
  )
}

const AuthenticationSection = ({ stored }: { stored: CarrierValues }) => {
  const field = useFields<CarrierValues>()
  const { control } = useFormContext<CarrierValues>()
  const registers = useWatch({ control, name: 'requires_register' })
  return (
    <FormSection
      title="Outbound authentication"
      description="Credentials that the platform uses if the carrier requires authentication."
    >
      <FieldRow>
        <TextField
          label="Auth username"
          required={registers}
          maxLength={lengths.register_username}
          autoComplete="off"
          spellCheck={false}
          {...field('register_username')}
        />
        <StoredSecretField
          label="Password"
          name="register_password"
          required={registers}
          stored={stored.register_password}
        />
      </FieldRow>
      <CheckboxField
        label="Require SIP Register"
        hint="The platform registers with the carrier before calls can be made."
        {...field('requires_register')}
      >
        {registers && (
          <>
            <TextField
              label="SIP realm"
              required
              maxLength={lengths.register_sip_realm}
              autoComplete="off"
              spellCheck={false}
              mono
              {...field('register_sip_realm')}
            />
            <FieldRow>
              <TextField
                label="SIP from user"
                maxLength={lengths.register_from_user}
                autoComplete="off"
                spellCheck={false}
                {...field('register_from_user')}
              />
              <TextField
                label="SIP from domain"
                maxLength={lengths.register_from_domain}
                autoComplete="off"
                spellCheck={false}
                {...field('register_from_domain')}
              />
            </FieldRow>
            <CheckboxField label="Use public IP in contact" {...field('register_public_ip_in_contact')} />
          </>
        )}
      </CheckboxField>
    </FormSection>
  )
}

const InboundAuthenticationSection = ({ stored }: { stored: CarrierValues }) => {
  const field = useFields<CarrierValues>()
  return (
    <FormSection
      title="Inbound authentication"
      description="For carriers that authenticate to the platform. Their calls are accepted from any address."
    >
      <FieldRow>
        <TextField
          label="Inbound username"
          maxLength={lengths.inbound_auth_username}
          autoComplete="off"
          spellCheck={false}
          {...field('inbound_auth_username')}
        />
        <StoredSecretField
          label="Inbound password"
          name="inbound_auth_password"
          stored={stored.inbound_auth_password}
        />
      </FieldRow>
    </FormSection>
  )
}

const SignalingSection = () => {
  const field = useFields<CarrierValues>()
  return (
    <FormSection
      title="Signaling"
      description="SIP settings for outbound calls. Leave a field empty unless the carrier requires it."
    >
      <FieldRow>
        <TextField
          label="Tech prefix"
          hint="Prepended to the called number."
          maxLength={lengths.tech_prefix}
          autoComplete="off"
          {...field('tech_prefix')}
        />
        <TextField
          label="SIP Diversion Header"
          maxLength={lengths.diversion}
          autoComplete="off"
          {...field('diversion')}
        />
      </FieldRow>
      <TextField
        label="Outbound SIP Proxy"
        hint="Receives all outbound requests, for example sip:proxy.example.com:5060."
        maxLength={lengths.outbound_sip_proxy}
        autoComplete="off"
        spellCheck={false}
        mono
        {...field('outbound_sip_proxy')}
      />
    </FormSection>
  )
}

interface VoiceTabProps {
  service_provider_sid: string
  stored: CarrierValues
}

/** SIP settings of a carrier. */
export const VoiceTab = ({ service_provider_sid, stored }: VoiceTabProps) => (
  <>
    <UseSection service_provider_sid={service_provider_sid} />
    <SipGateways service_provider_sid={service_provider_sid} />
    <AuthenticationSection stored={stored} />
    <InboundAuthenticationSection stored={stored} />
    <SignalingSection />
  </>
)
