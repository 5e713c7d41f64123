import { use } from 'react'
import { api } from '../../../api/client.ts'
import { ConfirmAction } from '../../../feedback/confirm-action.tsx'
import { useAction } from '../../../feedback/use-action.ts'
import type { CarrierValues } from './carrier-form.ts'
import { GatewayDeletion } from './gateway-deletion.ts'

/**
 * Removes a gateway. A new gateway is only removed from the form. A saved gateway is deleted immediately, after a
 * confirmation.
 */

export type SavedGateway =
  | { kind: 'sip'; sip_gateway_sid: string; ipv4: string }
  | { kind: 'smpp'; smpp_gateway_sid: string; ipv4: string; direction: 'inbound' | 'outbound' }

const removeGateway = (values: CarrierValues, gateway: SavedGateway): CarrierValues =>
  gateway.kind === 'sip'
    ? {
        ...values,
        sip_gateways: values.sip_gateways.filter(({ sip_gateway_sid: sid }) => sid !== gateway.sip_gateway_sid),
      }
    : {
        ...values,
        smpp_gateways: values.smpp_gateways.filter(({ smpp_gateway_sid: sid }) => sid !== gateway.smpp_gateway_sid),
      }

/** Confirmation dialog that deletes a saved gateway. All other changes are sent on Save. */
export const DeleteGateway = ({ gateway, onClose }: { gateway: SavedGateway; onClose: () => void }) => {
  const onDeleted = use(GatewayDeletion)
  const name = gateway.kind === 'sip' ? 'SIP gateway' : `SMPP ${gateway.direction} gateway`
  const remove = useAction({
    run: () =>
      gateway.kind === 'sip'
        ? api('DELETE /SipGateways/:sip_gateway_sid', { params: { sip_gateway_sid: gateway.sip_gateway_sid } })
        : api('DELETE /SmppGateways/:smpp_gateway_sid', { params: { smpp_gateway_sid: gateway.smpp_gateway_sid } }),
    done: () => `${name} successfully deleted`,
    changes: [['gateway-counts'], ['sip-gateways']],
    after: async () => {
      await onDeleted((values) => removeGateway(values, gateway))
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
