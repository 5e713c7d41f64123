import { type UseFormReturn, useFormContext } from 'react-hook-form'
import { api } from '../../../api/client.ts'
import { ConfirmAction } from '../../../feedback/confirm-action.tsx'
import { useAction } from '../../../feedback/use-action.ts'
import type { CarrierValues } from './carrier-form.ts'

/**
 * Removes a gateway. A new gateway is only removed from the form. A saved gateway is deleted immediately, after a
 * confirmation.
 */

type Row = Partial<Record<'sip_gateway_sid' | 'smpp_gateway_sid', string>>

/** Removes a gateway from the form and its stored values. Other unsaved edits are kept. */
const removeFromForm = (form: UseFormReturn<CarrierValues>, list: 'sip_gateways' | 'smpp_gateways', sid: string) => {
  const withoutGateway = (rows: readonly (Row | undefined)[] = []) =>
    rows.filter((row) => row?.sip_gateway_sid !== sid && row?.smpp_gateway_sid !== sid) as CarrierValues[typeof list]
  const remainingRows = withoutGateway(form.getValues(list))
  form.resetField(list, { defaultValue: withoutGateway(form.formState.defaultValues?.[list]) })
  form.setValue(list, remainingRows, { shouldDirty: true })
}

export type SavedGateway =
  | { kind: 'sip'; sip_gateway_sid: string; ipv4: string }
  | { kind: 'smpp'; smpp_gateway_sid: string; ipv4: string; direction: 'inbound' | 'outbound' }

/** Confirmation dialog that deletes a saved gateway. All other changes are sent on Save. */
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
      if (gateway.kind === 'sip') removeFromForm(form, 'sip_gateways', gateway.sip_gateway_sid)
      else removeFromForm(form, 'smpp_gateways', gateway.smpp_gateway_sid)
      onClose()
    },
  })
  return (
    <ConfirmAction action={remove} title={`Delete ${name}?`} confirmLabel="Delete gateway" danger onCancel={onClose}>
      <p>
        <strong>
          <code>{gateway.ipv4}</code>
        </strong>{' '}
        will be deleted immediately, even if you don’t save the form. This cannot be undone.
      </p>
    </ConfirmAction>
  )
}
