import { gatewayLengths } from '@patchbay/contract/sip-gateways/record'
import { Plus, Trash2 } from 'lucide-react'
import { type ReactNode, use, useState } from 'react'
import { get, useFormContext, useWatch } from 'react-hook-form'
import styles from '../../../form/form-table.module.css'
import { useRowFields } from '../../../form/use-fields.ts'
import { lazyDialog } from '../../../lazy/lazy-dialog.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { SelectField } from '../../../ui/fields/field.tsx'
import { ReadOnlyFields } from '../../../ui/fields/field-frame.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
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
  /** The field next to the port. */
  beside: ReactNode
  /** Checkboxes, each with a column of its own. */
  flags: ReactNode
  /** Rare fields, which a button shows below the row. */
  options?: ReactNode
  /** The number of rare fields that are set. */
  optionCount?: number
  /** Undefined if the gateway cannot be removed. */
  onRemove: (() => void) | undefined
}

/** A gateway: address, port, further fields, and a button that removes it. */
export const GatewayRow = (props: GatewayRowProps) => {
  const { path, name, addressExample, portExample, beside, flags, options, optionCount = 0, onRemove } = props
  const field = useRowFields<CarrierValues>()
  const readOnly = use(ReadOnlyFields)
  const { dirtyFields } = useFormContext<CarrierValues>().formState
  const isChanged = Object.values(get(dirtyFields, path) ?? {}).includes(true)
  const address = useWatch<CarrierValues, `${GatewayPath}.ipv4`>({ name: `${path}.ipv4` })
  const [isOpen, setOpen] = useState(false)
  return (
    <fieldset
      className={styles['row']}
      data-changed={isChanged || undefined}
      data-row-name={address && `gateway ${address}`}
    >
      <legend className="visually-hidden">{name}</legend>
      <div className={styles['cells']}>
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
        <div>{beside}</div>
        <div className={styles['flags']}>{flags}</div>
        <div className={styles['tail']}>
          {options && (
            <Button size="small" variant="ghost" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              Options{optionCount > 0 && ` ${optionCount}`}
            </Button>
          )}
          {!readOnly && (
            <IconButton
              label={`Delete ${name}`}
              disabledReason={onRemove ? undefined : 'A carrier needs at least one SIP gateway.'}
              onClick={onRemove}
            >
              <Trash2 size={15} aria-hidden="true" />
            </IconButton>
          )}
        </div>
      </div>
      {options && isOpen && <div className={styles['options']}>{options}</div>}
    </fieldset>
  )
}

interface GatewayListProps {
  noun: string
  /** The list whose errors are displayed. Absent if another part of the form displays them. */
  list: List | undefined
  /** Titles of the columns after the port: that of the field, and those of the checkboxes. */
  heads: readonly [string, ...string[]]
  /** Returns the rows. */
  children: (remove: (gateway: SavedGateway) => void) => ReactNode
  onAdd: () => void
}

/** The gateways of one kind. Saved gateways are deleted after a confirmation. */
export const GatewayList = ({ noun, list, heads, children, onAdd }: GatewayListProps) => {
  const { errors } = useFormContext<CarrierValues>().formState
  const [deleting, setDeleting] = useState<SavedGateway>()
  const readOnly = use(ReadOnlyFields)
  const problem = list && (errors[list]?.root?.message ?? errors[list]?.message)
  return (
    <fieldset name={list} className={styles['table']} data-flags={heads.length - 1}>
      <legend className="visually-hidden">{noun}s</legend>
      <div className={styles['heads']} aria-hidden="true">
        {['Network address', 'Port', ...heads].map((head) => (
          <span key={head}>{head}</span>
        ))}
      </div>
      {children(setDeleting)}
      <div className={styles['after']}>
        {problem && (
          <p role="alert" className={styles['error']}>
            {problem}
          </p>
        )}
        {!readOnly && (
          <Button size="small" icon={<Plus size={14} aria-hidden="true" />} onClick={onAdd}>
            Add {noun}
          </Button>
        )}
      </div>
      {deleting && <DeleteGateway gateway={deleting} onClose={() => setDeleting(undefined)} />}
    </fieldset>
  )
}
