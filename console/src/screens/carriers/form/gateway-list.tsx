import { gatewayLengths } from '@patchbay/contract/sip-gateways/record'
import { Plus, Trash2 } from 'lucide-react'
import { type ReactNode, use, useState } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { useRowFields } from '../../../form/use-fields.ts'
import { lazyDialog } from '../../../lazy/lazy-dialog.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { SelectField } from '../../../ui/fields/field.tsx'
import { ReadOnlyFields } from '../../../ui/fields/field-frame.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import styles from './carrier-form.module.css'
import type { CarrierValues } from './carrier-form.ts'
import { toNetmaskOptions } from './gateways.ts'
import type { SavedGateway } from './remove-gateway.tsx'

/** Loads when a saved gateway is deleted. */
const DeleteGateway = lazyDialog('delete-gateway', async () => (await import('./remove-gateway.tsx')).DeleteGateway)

type List = 'sip_gateways' | 'smpp_gateways'
export type GatewayPath = `${List}.${number}`

/** The netmask of a gateway. */
export const NetmaskField = ({ path, hint }: { path: GatewayPath; hint?: string }) => {
  const field = useRowFields<CarrierValues>()
  const netmask = useWatch<CarrierValues, `${GatewayPath}.netmask`>({ name: `${path}.netmask` })
  return <SelectField label="Netmask" hint={hint} options={toNetmaskOptions(netmask)} {...field(`${path}.netmask`)} />
}

interface GatewayRowProps {
  path: GatewayPath
  /** Label of the gateway, with its number. */
  name: string
  addressExample: string
  portExample: string
  /** Fields next to the port. */
  beside: ReactNode
  /** Fields below the address, including the checkboxes. */
  children: ReactNode
  /** Undefined if the gateway cannot be removed. */
  onRemove: (() => void) | undefined
}

/** A gateway: address, port, further fields, and a button that removes it. */
export const GatewayRow = (props: GatewayRowProps) => {
  const { path, name, addressExample, portExample, beside, children, onRemove } = props
  const field = useRowFields<CarrierValues>()
  const readOnly = use(ReadOnlyFields)
  return (
    <fieldset className={styles['gateway']}>
      <legend className="visually-hidden">{name}</legend>
      <div className={styles['fields']}>
        <div className={styles['address']}>
          <TextField
            label="Network address"
            required
            mono
            maxLength={gatewayLengths.ipv4}
            autoComplete="off"
            spellCheck={false}
            placeholder={addressExample}
            {...field(`${path}.ipv4`)}
          />
          <TextField
            label="Port"
            inputMode="numeric"
            autoComplete="off"
            placeholder={portExample}
            {...field(`${path}.port`)}
          />
          {beside}
        </div>
        {children}
      </div>
      {!readOnly && (
        <IconButton
          label={`Delete ${name}`}
          disabledReason={onRemove ? undefined : 'A carrier needs at least one SIP gateway.'}
          onClick={onRemove}
        >
          <Trash2 size={15} aria-hidden="true" />
        </IconButton>
      )}
    </fieldset>
  )
}

interface GatewayListProps {
  noun: string
  /** The list whose errors are displayed. Absent if another part of the form displays them. */
  list: List | undefined
  /** Returns the rows. */
  children: (remove: (gateway: SavedGateway) => void) => ReactNode
  onAdd: () => void
}

/** The gateways of one kind. Saved gateways are deleted after a confirmation. */
export const GatewayList = ({ noun, list, children, onAdd }: GatewayListProps) => {
  const { errors } = useFormContext<CarrierValues>().formState
  const [deleting, setDeleting] = useState<SavedGateway>()
  const readOnly = use(ReadOnlyFields)
  const problem = list && (errors[list]?.root?.message ?? errors[list]?.message)
  return (
    <fieldset name={list} className={styles['gateways']}>
      <legend className="visually-hidden">{noun}s</legend>
      {children(setDeleting)}
      {problem && (
        <p role="alert" className={styles['error']}>
          {problem}
        </p>
      )}
      {!readOnly && (
        <div>
          <Button size="small" icon={<Plus size={14} aria-hidden="true" />} onClick={onAdd}>
            Add {noun}
          </Button>
        </div>
      )}
      {deleting && <DeleteGateway gateway={deleting} onClose={() => setDeleting(undefined)} />}
    </fieldset>
  )
}
