import { Combobox } from '@base-ui/react/combobox'
import { Check, ChevronsUpDown } from 'lucide-react'
import { type ReactNode, use, useId, useMemo, useRef, useState } from 'react'
import { classes } from '../classes.ts'
import { useTopModal } from '../overlay/modal-stack.ts'
import { FilterSelect } from '../table/filter-select.tsx'
import field from './field.module.css'
import { SelectField, type SelectOption } from './field.tsx'
import { Field, type FieldControl, type FieldFrameProps, ReadOnlyFields } from './field-frame.tsx'
import styles from './search-select.module.css'

export interface SearchSelectProps extends FieldFrameProps {
  label: string
  /** `filter` has its label inside the frame, for filter bars. `field` has it above, for forms. */
  look?: 'filter' | 'field'
  options: readonly SelectOption[]
  /** The name of the form field. */
  name?: string | undefined
  value: string
  onChange: (value: string) => void
  onBlur?: (() => void) | undefined
  placeholder?: string | undefined
  /** The label of an additional first option with the value ''. */
  allOption?: string
  disabled?: boolean | undefined
  /** For options that are searched on the server: receives the typed text, and then gets other `options`. */
  search?: {
    onType: (text: string) => void
    /** The selected option, which may be missing in `options`. */
    chosen: SelectOption | undefined
    /** Shown if there are no options, for example while a search runs. */
    nothing: string | undefined
  }
  /** The ref of the input, to focus it. */
  ref?: (control: HTMLElement | null) => void
}

interface OptionGroup {
  value: string
  items: SelectOption[]
}

/** Up to this number of options, a native select is easier to use. */
const few = 10

const groupOptions = (options: readonly SelectOption[]): OptionGroup[] =>
  [...new Set(options.map(({ group }) => group ?? ''))].map((value) => ({
    value,
    items: options.filter(({ group }) => (group ?? '') === value),
  }))

/** An option of a list with a search field. */
export const Item = (option: SelectOption) => (
  <Combobox.Item key={option.value} value={option} className={styles.item}>
    <span>{option.label}</span>
    <Combobox.ItemIndicator className={styles.tick}>
      <Check size={14} aria-hidden="true" />
    </Combobox.ItemIndicator>
  </Combobox.Item>
)

const List = ({ isGrouped }: { isGrouped: boolean }) =>
  isGrouped ? (
    <Combobox.List className={styles.list}>
      {(group: OptionGroup) => (
        <Combobox.Group key={group.value} items={group.items}>
          <Combobox.GroupLabel className={styles.group}>{group.value || 'Other'}</Combobox.GroupLabel>
          <Combobox.Collection>{Item}</Combobox.Collection>
        </Combobox.Group>
      )}
    </Combobox.List>
  ) : (
    <Combobox.List className={styles.list}>{Item}</Combobox.List>
  )

interface TypedSelectProps extends Omit<SearchSelectProps, 'options' | 'ref'> {
  inputRef: SearchSelectProps['ref']
  options: readonly SelectOption[]
  control: FieldControl
  /** The label inside the frame, in a filter bar. */
  inner?: ReactNode
}

const same = (one: string, other: string) => one.trim().toLowerCase() === other.trim().toLowerCase()

const TypedSelect = (props: TypedSelectProps) => {
  const { label, options, value, onChange, onBlur, placeholder, disabled = false, search } = props
  const { inputRef, control, inner } = props
  const modal = useTopModal()
  const typed = useRef('')
  const anchor = useRef<HTMLDivElement>(null)
  const isGrouped = options.some(({ group }) => group !== undefined)
  const chosenLabel = [...options, search?.chosen].find((option) => option?.value === value)?.label
  // The object stays the same while value and label do. Base UI treats a new object as another choice and replaces the
  // text that the user is typing with its label.
  const chosen = useMemo(() => (chosenLabel === undefined ? null : { value, label: chosenLabel }), [value, chosenLabel])
  // For the same reason, the selected option keeps the label that it had when the field got the focus or the list was
  // closed: the user replaces the selected text by typing, and a new label would end the selection.
  const [entered, setEntered] = useState<{ value: string; chosen: SelectOption | null }>()
  return (
    <Combobox.Root
      items={isGrouped ? groupOptions(options) : options}
      {...(search ? { filter: null } : {})}
      value={entered?.value === value ? entered.chosen : chosen}
      isItemEqualToValue={(one: SelectOption, other: SelectOption) => one.value === other.value}
      onValueChange={(next: SelectOption | null) => {
        // Clearing the text selects nothing. When the field loses the focus, the previous choice returns.
        if (next) onChange(next.value)
      }}
      onInputValueChange={(text, { reason }) => {
        if (reason !== 'input-change' && reason !== 'input-clear') return
        typed.current = text
        search?.onType(text)
      }}
      onOpenChange={(open, { reason }) => {
        const hasLeft = reason === 'focus-out' || reason === 'outside-press'
        if (open) typed.current = ''
        else {
          setEntered(hasLeft ? undefined : { value, chosen })
          search?.onType('')
        }
        const exact = options.find((option) => same(option.label, typed.current))
        if (!open && hasLeft && exact && exact.value !== value) onChange(exact.value)
      }}
      autoHighlight
      disabled={disabled}
    >
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- it listens for the input inside */}
      <div
        ref={anchor}
        className={classes(field.box, inner !== undefined && styles.compact)}
        onFocus={() => setEntered((before) => before ?? { value, chosen })}
        onBlur={() => setEntered(undefined)}
        onKeyDown={(event) => {
          // Enter selects the option, and does not submit the form.
          if (event.key === 'Enter') event.preventDefault()
        }}
      >
        {inner}
        <Combobox.Input
          {...control}
          ref={inputRef}
          name={props.name}
          placeholder={placeholder}
          onBlur={onBlur}
          // Selecting the text lets the user replace the choice by typing.
          onClick={({ currentTarget }) => currentTarget.select()}
          className={classes(field.input, styles.text)}
        />
        {/* Base UI would set the role combobox a second time. */}
        <Combobox.Trigger role="button" className={styles.trigger} aria-label={`Show all: ${label}`} tabIndex={-1}>
          <ChevronsUpDown size={14} aria-hidden="true" />
        </Combobox.Trigger>
      </div>
      <Combobox.Portal container={modal}>
        <Combobox.Positioner sideOffset={4} anchor={anchor} align="start" className={styles.positioner}>
          <Combobox.Popup className={styles.popup} aria-label={label}>
            <Combobox.Empty className={styles.nothing}>{search?.nothing ?? 'Nothing matches.'}</Combobox.Empty>
            <List isGrouped={isGrouped} />
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}

const TypedFilter = (props: TypedSelectProps) => {
  const id = useId()
  const name = (
    <label htmlFor={id} className={styles.name}>
      {props.label}
    </label>
  )
  return <TypedSelect {...props} control={{ ...props.control, id }} inner={name} />
}

const noControl: FieldControl = {
  id: '',
  required: undefined,
  'aria-invalid': undefined,
  'aria-describedby': undefined,
}

/**
 * Selects one of many options: typing filters them, and only an option or its exact name is accepted. Leaving the
 * field with other text restores the previous choice. Up to ten options are a native select. This module imports Base
 * UI, so it belongs into lazy chunks only.
 */
export const SearchSelect = ({ ref, ...rest }: SearchSelectProps) => {
  const props = { ...rest, disabled: use(ReadOnlyFields) || rest.disabled }
  const { look = 'filter', label, labelHidden, hint, error, required, value, onChange, allOption } = props
  const options = allOption === undefined ? props.options : [{ value: '', label: allOption }, ...props.options]
  const frame = { label, labelHidden, hint, error, required }
  if (options.length <= few && look === 'filter')
    return <FilterSelect label={label} value={value} options={options} onChange={onChange} />
  if (options.length <= few && props.search === undefined)
    return (
      <SelectField
        {...frame}
        ref={ref}
        name={props.name}
        options={options}
        placeholder={
          allOption === undefined && !options.some((option) => option.value === value)
            ? (props.placeholder ?? '')
            : undefined
        }
        value={value}
        disabled={props.disabled}
        onBlur={props.onBlur}
        onChange={({ target }) => onChange(target.value)}
      />
    )
  if (look === 'filter') return <TypedFilter {...props} inputRef={ref} options={options} control={noControl} />
  return (
    <Field {...frame}>
      {(control) => <TypedSelect {...props} inputRef={ref} options={options} control={control} />}
    </Field>
  )
}
