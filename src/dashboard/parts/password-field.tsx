interface PasswordFieldProps {
  readonly label: string;
  readonly value: { value: string };
  readonly autocomplete: "current-password" | "new-password";
  /** Whether the cursor is in it at first. */
  readonly isFirst?: boolean;
}

export function PasswordField({ label, value, autocomplete, isFirst = false }: PasswordFieldProps) {
  return (
    <label class="field-label">
      {label}
      <input
        required
        autoFocus={isFirst}
        type="password"
        autocomplete={autocomplete}
        maxLength={200}
        value={value.value}
        onInput={(event) => (value.value = event.currentTarget.value)}
      />
    </label>
  );
}
