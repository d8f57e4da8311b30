// The little that HTML and HTMX do not do: permanent links, examples, dropped files, the focus.
"use strict";

(() => {
  const MOST_IN_A_LINK = 8000;
  const find = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  function say(form, words) {
    const place = find(".said", form || document);
    if (place) place.textContent = words;
  }

  // ---- permanent links: both texts in the fragment, which browsers never send ----
  function linkOf(form) {
    const part = new URLSearchParams({ a: form.a.value, b: form.b.value });
    return "#" + part.toString();
  }

  function readLink(form) {
    const part = new URLSearchParams(location.hash.slice(1));
    if (!part.has("a") || !part.has("b")) return false;
    form.a.value = part.get("a");
    form.b.value = part.get("b");
    return true;
  }

  function keepLink(form) {
    const link = linkOf(form);
    const fits = link.length <= MOST_IN_A_LINK;
    history.replaceState(null, "", fits ? link : location.pathname);
    const button = find("[data-copy-link]", form);
    if (button) button.hidden = !fits;
  }

  async function copy(text, form, words) {
    try {
      await navigator.clipboard.writeText(text);
      say(form, words);
    } catch {
      say(form, "Copy it from the address bar.");
    }
  }

  function linked(form) {
    form.addEventListener("submit", () => keepLink(form));
    find("[data-swap]", form).addEventListener("click", () => {
      [form.a.value, form.b.value] = [form.b.value, form.a.value];
      if (form.a.value && form.b.value) form.requestSubmit();
    });
    find("[data-copy-link]", form).addEventListener("click", () =>
      copy(location.href, form, "The link is copied."));
    for (const chip of all(".chip", form)) {
      chip.addEventListener("click", () => {
        form.a.value = chip.dataset.a;
        form.b.value = chip.dataset.b;
        form.requestSubmit();
      });
    }
    const start = () => { if (readLink(form)) form.requestSubmit(); };
    addEventListener("hashchange", start);
    setTimeout(start); // after HTMX, which was told to begin before us
  }

  // ---- files: show what was chosen, take what is dropped ----
  function dropZone(zone) {
    const input = find("input[type=file]", zone);
    const shown = find("[data-files]", zone);
    const empty = shown.textContent;
    input.addEventListener("change", () => {
      const names = [...input.files].map((file) => file.name);
      shown.textContent = names.length ? names.join(", ") : empty;
      zone.classList.toggle("full", names.length > 0);
    });
    for (const kind of ["dragenter", "dragover"]) {
      zone.addEventListener(kind, (event) => { event.preventDefault(); zone.classList.add("over"); });
    }
    for (const kind of ["dragleave", "drop"]) {
      zone.addEventListener(kind, () => zone.classList.remove("over"));
    }
    zone.addEventListener("drop", (event) => {
      event.preventDefault();
      const taken = new DataTransfer();
      for (const file of event.dataTransfer.files) {
        if (input.multiple || !taken.files.length) taken.items.add(file);
      }
      input.files = taken.files;
      input.dispatchEvent(new Event("change"));
    });
  }

  // ---- while an answer is on its way, and when it has come ----
  function busy(form, is) {
    form.setAttribute("aria-busy", String(is));
    for (const button of all("button[type=submit]", form)) button.disabled = is;
  }

  document.addEventListener("htmx:before:request", (event) => {
    const form = event.target.closest ? event.target.closest("form.panel") : null;
    if (form) { busy(form, true); say(form, "Working …"); }
  });
  document.addEventListener("htmx:finally:request", (event) => {
    const form = event.target.closest ? event.target.closest("form.panel") : null;
    if (form) { busy(form, false); say(form, ""); }
  });
  document.addEventListener("htmx:error", (event) => {
    const form = event.target.closest ? event.target.closest("form.panel") : null;
    say(form, "The server does not answer. Is it still running?");
  });
  document.addEventListener("htmx:after:swap", () => {
    const heading = find("#result [data-focus]");
    if (!heading) return;
    heading.removeAttribute("data-focus");
    heading.focus({ preventScroll: true });
    if (heading.getBoundingClientRect().top > innerHeight * 0.8) {
      heading.scrollIntoView({ block: "center" });
    }
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy], [data-fill]");
    if (!button) return;
    if (button.dataset.copy !== undefined) {
      copy(button.dataset.copy, null, "");
      button.textContent = "Copied";
      return;
    }
    const form = button.closest("form");
    form.elements[button.dataset.fill].value = button.dataset.text;
    form.requestSubmit();
  });

  addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      const form = event.target.closest ? event.target.closest("form.panel") : null;
      if (form) form.requestSubmit();
    }
    if (event.key === "Escape" && document.activeElement.matches("mark.w")) {
      document.activeElement.blur();
    }
  });

  addEventListener("DOMContentLoaded", () => {
    all("form[data-linked]").forEach(linked);
    all(".drop").forEach(dropZone);
  });
})();
