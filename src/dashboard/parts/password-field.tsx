interface PasswordFieldProps {
  readonly label: string;
  readonly value: { value: string };
  readonly autocomplete: "current-password" | "new-password";
  /** True if the cursor starts in this field. */
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
