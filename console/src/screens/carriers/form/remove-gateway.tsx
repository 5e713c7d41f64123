import { type UseFormReturn, useFormContext } from 'react-hook-form'
import { api } from '../../../api/client.ts'
import { ConfirmAction } from '../../../feedback/confirm-action.tsx'
import { useAction } from '../../../feedback/use-action.ts'
import type { CarrierValues } from './carrier-form.ts'

/** Removing a gateway: a new one just goes, one that is saved is deleted at once, when that is confirmed. */

type Row = Partial<Record<'sip_gateway_sid' | 'smpp_gateway_sid', string>>

/** It is neither stored any more nor in the form; what else was changed stays so. */
const drop = (form: UseFormReturn<CarrierValues>, list: 'sip_gateways' | 'smpp_gateways', sid: string) => {
  const others = (rows: readonly (Row | undefined)[] = []) =>
    rows.filter((row) => row?.sip_gateway_sid !== sid && row?.smpp_gateway_sid !== sid) as CarrierValues[typeof list]
  const shown = others(form.getValues(list))
  form.resetField(list, { defaultValue: others(form.formState.defaultValues?.[list]) })
  form.setValue(list, shown, { shouldDirty: true })
}

export type SavedGateway =
  | { kind: 'sip'; sip_gateway_sid: string; ipv4: string }
  | { kind: 'smpp'; smpp_gateway_sid: string; ipv4: string; direction: 'inbound' | 'outbound' }

/** Asks, and deletes a gateway that is saved; everything else waits for Save. */
export const DeleteGateway = ({ gateway, onClose }: { gateway: SavedGateway; onClose: () => void }) => {
  const form = useFormContext<CarrierValues>()
  const name = gateway.kind === 'sip' ? 'SIP gateway' : `SMPP ${gateway.direction} gateway`
  const remove = useAction({
    run: () =>
      gateway.kind === 'sip'
        ? api('DELETE /SipGateways/:sip_gateway_sid', { params: { sip_gateway_sid: gateway.sip_gateway_sid } })
        : api('DELETE /SmppGateways/:smpp_gateway_sid', { params: { smpp_gateway_sid: gateway.smpp_gateway_sid } }),
    done: () => `${name} successfully deleted`,
    changes: [['gateway-counts'], [gateway.kind === 'sip' ? 'sip-gateways' : 'smpp-gateways']],
    after: () => {
      if (gateway.kind === 'sip') drop(form, 'sip_gateways', gateway.sip_gateway_sid)
      else drop(form, 'smpp_gateways', gateway.smpp_gateway_sid)
      onClose()
    },
  })
  return (
    <ConfirmAction action={remove} title={`Delete ${name}?`} confirmLabel="Delete gateway" danger onCancel={onClose}>
      <p>
        <strong>
          <code>{gateway.ipv4}</code>
        </strong>{' '}
        will be deleted at once, without waiting for Save. This cannot be undone.
      </p>
    </ConfirmAction>
  )
}
